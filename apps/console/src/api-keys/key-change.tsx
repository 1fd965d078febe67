import type { Schema } from '../api/client';
import { Time } from '../components/time';
import type { After } from '../components/after-change';

type Detail = Schema['ApiKeyDetailResponse'];

/** A completed change: the message to show, what is true now, and the key as it is now. */
export interface KeyDone extends After {
  text: string;
  saved: Detail & { secret?: string };
}

export interface KeyDialogProps {
  apiKey: Detail;
  onDone: (done: KeyDone) => void;
  onClose: () => void;
}

/** When and from where, to within a minute. */
export function LastUse({ at, from }: { at: string | null; from: string | null }) {
  return (
    <>
      <Time at={at} relative />
      {from && <span className="gr-mono"> from {from}</span>}
    </>
  );
}
