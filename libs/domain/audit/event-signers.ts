import type { Finding } from '../common/backend-check';
import { minuteText } from '../common/times';

/** What names the key of an event; null for events from before keys had ids. */
export interface EventSigner {
  keyId: string | null;
  at: Date;
  /** The first event of the log, which is among the latest ones too while the log is short. */
  isFirst: boolean;
}

/**
 * Whether a secret is the one that a database has been sealed with, and the only one: a process that runs with another APP_SECRET
 * signs what it does, and no reader of its events but itself can tell them from forgeries.
 *
 * @param signers those of the first event and of the latest ones
 * @param known ids of the keys of APP_SECRET, APP_SECRET_PREVIOUS and the secrets that were replaced
 */
export function evaluateSigners(signers: readonly EventSigner[], known: ReadonlySet<string>): Finding {
  const isForeign = ({ keyId }: EventSigner) => keyId !== null && !known.has(keyId);
  const latest = signers.filter(({ isFirst }) => !isFirst);
  const foreign = latest.filter(isForeign);
  if (signers.some((each) => each.isFirst && isForeign(each))) {
    const ours = latest.filter((each) => !isForeign(each));
    const since =
      ours.length === 0
        ? ''
        : `, and has signed ${ours.length} of the latest ${latest.length} events of the audit log, the last at ${minuteText(ours[0]!.at)}`;
    return {
      status: 'failed',
      detail: `APP_SECRET is not the secret that this database was sealed with${since}: sealed secrets, contacts and webhooks cannot be read with it. Set APP_SECRET to the one that the installation has run with, or APP_SECRET_PREVIOUS to it if it was replaced on purpose.`,
    };
  }
  if (foreign.length === 0)
    return { status: 'ok', detail: 'APP_SECRET is the one that the database was sealed with.' };
  return {
    status: 'warning',
    detail: `APP_SECRET is the one that the database was sealed with, but ${foreign.length} of the latest ${latest.length} events of the audit log, the last at ${minuteText(foreign[0]!.at)}, were signed with another secret: a process has run with it. Set APP_SECRET there, and enter again the contacts and webhooks that were saved since.`,
  };
}
