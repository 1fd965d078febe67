import type { ReactNode } from 'react';
import type { Schema } from '../api/client';
import type { Done } from './action-dialog';
import { Banner } from './banner';
import { CopyButton } from './copy-button';
import { Name, UserText } from './name';
import { plural } from './number';

/** What was done, and to what; since when it holds on every server that checks keys, and what undoes it. */
export function ReceiptBanner(props: {
  of: Done['of'];
  receipt?: Schema['ChangeReceipt'] | null;
  undo?: ReactNode;
  /** What is true now. */
  now?: string;
  forCustomer?: string;
  children: Done['text'];
}) {
  const { of, receipt, undo, now, forCustomer, children } = props;
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
      {receipt && receiptText(receipt)} {now} {undo}
      {forCustomer && (
        <div>
          For the customer: <UserText>{forCustomer}</UserText>{' '}
          <CopyButton value={forCustomer} what="the sentence for the customer" />
        </div>
      )}
    </Banner>
  );
}

function receiptText({ acknowledged, processes, ms }: Schema['ChangeReceipt']): string {
  if (acknowledged >= processes)
    return `In effect on ${plural(processes, 'server')}, ${Math.round(ms)} ms after it was saved.`;
  return `In effect on ${acknowledged} of ${plural(processes, 'server')}. The others follow within 3 s after it was saved.`;
}
