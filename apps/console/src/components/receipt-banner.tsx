import type { Schema } from '../api/client';
import { Banner } from './banner';
import { plural } from './number';

/** That a change has been saved, and since when it holds on every server that checks keys. */
export function ReceiptBanner({
  receipt,
  children,
}: {
  receipt: Schema['ChangeReceipt'] | null | undefined;
  /** What was done. */
  children: string;
}) {
  const complete = !receipt || receipt.acknowledged >= receipt.processes;
  return (
    <Banner tone={complete ? 'good' : 'warn'} title={children}>
      {receipt && receiptText(receipt)}
    </Banner>
  );
}

function receiptText({ acknowledged, processes, ms }: Schema['ChangeReceipt']): string {
  if (acknowledged >= processes)
    return `In effect on ${plural(processes, 'server')}, ${Math.round(ms)} ms after it was saved.`;
  return `In effect on ${acknowledged} of ${plural(processes, 'server')}. The others follow within 3 s after it was saved.`;
}
