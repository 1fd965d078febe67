/** Which listening test a DNSMOS model stands in for: speech, background and the whole apart (P.835), or the whole (P.808). */
export type DnsmosKind = 'p835' | 'p808';

/** A model that runs. */
export interface OpenedModel {
  /** Its file name and the beginning of its SHA-256. */
  name: string;
  kind: DnsmosKind;
}
