/** A list as it is sent, in one of two forms. */
export interface InputList {
  /** As people write it, or any text that has addresses in it: `#` begins a note, as do brackets or a dash behind an address; other words are ignored and have to be confirmed. */
  text?: string;
  /** Entry by entry; null stands for no list. */
  entries?: { address: string; note?: string | null; endsAt?: Date | null }[] | null;
}
