/** An entry of an allow-list as `key_undo` has it: as it was, with times as ISO 8601 text. */
export interface FormerEntry {
  cidr: string;
  note: string | null;
  endsAt: string | null;
  addedBy: string | null;
  addedAt: string | null;
}
