import { shownPages } from "../shots/pages.ts";
import { testPages } from "../support/web/page-faults.ts";

testPages(shownPages.filter(({ path }) => !path.startsWith("/admin/")));
