import type { Schema } from '../api/client';
import { Notice } from './notice';
import { plural } from './number';

/** That a change has been saved, and since when it holds on every server that checks keys. */
export function ReceiptNotice({
  receipt,
  children,
}: {
  receipt: Schema['ChangeReceipt'] | null | undefined;
  /** What was done. */
  children: string;
}) {
  const complete = !receipt || receipt.acknowledged >= receipt.processes;
  return (
    <Notice tone={complete ? 'good' : 'warn'} title={children}>
      {receipt && receiptText(receipt)}
    </Notice>
  );
}

function receiptText({ acknowledged, processes, ms }: Schema['ChangeReceipt']): string {
  const summary = `Acknowledged ${acknowledged}/${processes} in ${Math.round(ms)} ms`;
  if (acknowledged >= processes) return `${summary}: in effect now.`;
  return `${summary}. ${plural(processes - acknowledged, 'server has', 'servers have')} not acknowledged yet; at the latest, the change is in effect there 3 s after it was saved.`;
}
