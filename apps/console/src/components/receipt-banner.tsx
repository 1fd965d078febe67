import type { ReactNode } from 'react';
import type { Schema } from '../api/client';
import type { Done } from './action-dialog';
import { Banner } from './banner';
import { Name } from './name';
import { plural } from './number';

/** What was done, and to what; since when it holds on every server that checks keys, and what undoes it. */
export function ReceiptBanner({
  of,
  receipt,
  undo,
  children,
}: {
  of: Done['of'];
  receipt?: Schema['ChangeReceipt'] | null;
  undo?: ReactNode;
  /** What was done. */
  children: Done['text'];
}) {
  const complete = !receipt || receipt.acknowledged >= receipt.processes;
  return (
    <Banner
      tone={complete ? 'good' : 'warn'}
      title={
        <>
          {of !== null && (
            <>
              <Name>{of}</Name>:{' '}
            </>
          )}
          {children}
        </>
      }
    >
      {receipt && receiptText(receipt)} {undo}
    </Banner>
  );
}

function receiptText({ acknowledged, processes, ms }: Schema['ChangeReceipt']): string {
  if (acknowledged >= processes)
    return `In effect on ${plural(processes, 'server')}, ${Math.round(ms)} ms after it was saved.`;
  return `In effect on ${acknowledged} of ${plural(processes, 'server')}. The others follow within 3 s after it was saved.`;
}
