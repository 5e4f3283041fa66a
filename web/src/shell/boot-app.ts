/**
 * Runs before the first paint of the console and the admin area: a selected theme must not flash the other one first, nor
 * a collapsed sidebar the wide one, and what a page asks first need not wait for its modules.
 */
import "./boot-sidebar.ts";
import "./boot-theme.ts";
import { sendFirstRequests } from "./boot-requests.ts";

const named = document.currentScript?.dataset;
sendFirstRequests(named?.["frame"], named?.["page"]);
