import { type ChannelFile, readChannelFile, toChannelFile } from "@sluice/contracts/channel-file";
import { apiGet } from "../../../api/client.ts";
import { t } from "../../translate.ts";
import { type Channel, channelPath } from "./channel.ts";

type ChannelPage = { readonly rows: readonly Channel[]; readonly next_cursor: string | null };
const pagesMax = 100;

/** Every channel that no exit node manages, as a file. */
export async function exportChannels(): Promise<ChannelFile> {
  const channels: Channel[] = [];
  let cursor: string | null = null;
  for (let page = 0; page < pagesMax; page += 1) {
    const query = { limit: 100, cursor };
    const found = (await apiGet(`${channelPath}list/`, { query })) as ChannelPage;
    channels.push(...found.rows);
    cursor = found.next_cursor;
    if (cursor === null) {
      break;
    }
  }
  return toChannelFile(channels);
}

/**
 * The channels of a file; the backend checks them one by one.
 * @throws Error with what is wrong with the file
 */
export function readExport(text: string): ChannelFile {
  const file = readChannelFile(text);
  if (file === null) {
    throw new Error(t("Choose a file that was created by Export."));
  }
  return file;
}
