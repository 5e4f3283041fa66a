import type { InvitationView, MemberView, ProjectView } from "@sluice/contracts/organisations";
import type { Queryable } from "../platform/db.ts";
import { selectInvitations } from "./invitation-store.ts";
import { type Person, selectMembers, selectPersons, selectProjects } from "./store.ts";

export type People = {
  readonly members: readonly (MemberView & Omit<Person, "member_id">)[];
  readonly projects: readonly ProjectView[];
  readonly invitations: readonly InvitationView[];
};

/** Who belongs to an organisation, for operators. */
export async function readPeople(db: Queryable, organisationId: bigint): Promise<People> {
  const members = await selectMembers(db, organisationId, null);
  const persons = new Map((await selectPersons(db, organisationId)).map((person) => [person.member_id, person]));
  return {
    members: members.flatMap((member) => {
      const person = persons.get(member.member_id);
      return person === undefined ? [] : [{ ...member, user_id: person.user_id, status: person.status }];
    }),
    projects: await selectProjects(db, organisationId, null),
    invitations: await selectInvitations(db, organisationId),
  };
}
