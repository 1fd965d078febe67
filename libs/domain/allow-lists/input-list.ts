/** A list as it is sent, in one of two forms. */
export interface InputList {
  /** As people write it: separated by commas or lines, `#` begins a note. */
  text?: string;
  /** Entry by entry; null stands for no list. */
  entries?: { address: string; note?: string | null; endsAt?: Date | null }[] | null;
}
