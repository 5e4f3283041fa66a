import { fill } from "../../../i18n/messages.ts";
import { changes, changesByDay, changesFeedPath } from "../../docs/changelog/changes.ts";
import { changelogTexts } from "../../docs/changelog/messages/messages.ts";
import { docNames } from "../../docs/doc-list.ts";
import { docPage } from "../../docs/doc-page.tsx";

/** `/docs/changelog/`: what has changed in the API, by day. */
export const docsChangelogPage = {
  ...docPage({
    path: "/docs/changelog/",
    updatedOn: changes[0].on,
    name: docNames["/docs/changelog/"],
    content: (_, { locale, formats }) => {
      const texts = changelogTexts[locale];
      const days = changesByDay().map(([day, ids]) => ({
        id: `day-${day}`,
        title: formats.date(`${day}T00:00:00Z`),
        blocks: [{ kind: "list" as const, items: ids.map((id) => texts.change[id]) }],
      }));
      const lead = `${texts.lead} ${fill(texts.feed, { feed: changesFeedPath })}`;
      return { title: texts.title, lead, sections: days };
    },
  }),
  feed: changesFeedPath,
};
