/** A voice whose recordings are compared with those of another. */
export interface OtherVoice {
  voiceId: string;
  name: string;
  accountId: string;
  /** Null when the account is gone. */
  accountName: string | null;
  createdAt: Date;
  /** The recording of the voice in question, and that of this one. */
  sampleId: string;
  otherSampleId: string;
}
