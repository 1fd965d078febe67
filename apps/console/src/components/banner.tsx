import { allOf } from '@app/domain/common/sentences';
import { rolesThatMay, type StaffPermission, type StaffRole } from '@app/domain/staff/staff-permissions';
import { Button, Group } from '@mantine/core';
import { type ReactNode, useEffect, useRef } from 'react';
import { useMay, refresh, type Schema } from '../api/client';
import { ChangeWaits, otherParts, toProblem } from '../api/problem';
import { CopyButton, Name, UserText, type Tone } from './inline';
import { plural } from './number';

/** Something to know about what is on the page. `alert` is read out at once. */
export function Banner(props: { tone?: Tone; title?: ReactNode; alert?: boolean; children?: ReactNode }) {
  const { tone = 'info', title, alert = false, children } = props;
  return (
    <div className="gr-notice" data-tone={tone} role={alert ? 'alert' : 'status'}>
      {title !== undefined && <strong>{title}</strong>}
      {title !== undefined && children !== undefined && <br />}
      {children}
    </div>
  );
}

/**
 * A refusal, in the server's words. `fields` are shown at their inputs and left out here; `onRetry` offers to try again.
 */
export function ProblemBanner(props: { error: unknown; fields?: readonly string[]; onRetry?: () => void }) {
  const { error, fields = [], onRetry } = props;
  if (!error) return null;
  if (error instanceof ChangeWaits) return <WaitsBanner text={error.message} />;
  const problem = toProblem(error);
  const rest = otherParts(problem, fields);
  const isAtFields = problem.code === 'invalid_input' && problem.parts.length > 0 && rest.length === 0;
  return (
    <Banner tone="bad" alert>
      {isAtFields ? 'Nothing was saved. See the fields that are marked.' : problem.message}
      {rest.length > 0 && problem.parts.length > 1 && (
        <ul>
          {rest.map(({ pointer, parameter, message }) => (
            <li key={`${pointer ?? parameter} ${message}`}>
              {pointer?.replace(/^#\//, '') ?? parameter}: {message}
            </li>
          ))}
        </ul>
      )}
      {/* What does not exist does not come to exist by asking again. */}
      {problem.status !== 404 && (onRetry || problem.requestId) && (
        <Group gap="sm" mt={6}>
          {onRetry && (
            <Button size="compact-sm" variant="default" onClick={onRetry}>
              Try again
            </Button>
          )}
          {problem.requestId && <span className="gr-mono">Request {problem.requestId}</span>}
        </Group>
      )}
    </Banner>
  );
}

function WaitsBanner({ text }: { text: string }) {
  useEffect(() => void refresh(['approvals']), []);
  return (
    <Banner tone="info" alert title="Waits for a second person">
      {text}
    </Banner>
  );
}

const ROLES: Record<StaffRole, string> = {
  admin: 'admins',
  account_manager: 'account managers',
  support: 'support',
  ops: 'operations',
};

export function whoMay(permission: StaffPermission, to: string): string {
  return `Only ${allOf(rolesThatMay(permission).map((role) => ROLES[role]))} may ${to}.`;
}

/** The same with a message to send to one of them; nothing for who may. */
export function HandOver({ permission, to }: { permission: StaffPermission; to: string }) {
  const may = useMay();
  if (may(permission)) return null;
  return (
    <Banner tone="calm">
      {whoMay(permission, to)}{' '}
      <CopyButton
        label="Copy a message for one of them"
        what="a message"
        value={`Please ${to}: ${location.href}`}
      />
    </Banner>
  );
}

/** What was done, and to what; since when it holds on every server that checks keys, and what undoes it. */
export function ReceiptBanner(props: {
  of: string | null;
  receipt?: Schema['ChangeReceipt'] | null;
  undo?: ReactNode;
  now?: string;
  forCustomer?: string;
  children: string;
}) {
  const { of, receipt, undo, now, forCustomer, children } = props;
  const notice = useRef<HTMLDivElement>(null);
  // What was pressed may stand far below.
  useEffect(() => {
    notice.current?.scrollIntoView({ block: 'nearest' });
  }, [children, receipt]);
  const complete = !receipt || receipt.acknowledged >= receipt.processes;
  return (
    <div ref={notice}>
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
    </div>
  );
}

function receiptText({ acknowledged, processes, ms }: Schema['ChangeReceipt']): string {
  if (acknowledged >= processes)
    return `In effect on ${plural(processes, 'server')}, ${Math.round(ms)} ms after it was saved.`;
  return `In effect on ${acknowledged} of ${plural(processes, 'server')}. The others follow within 3 s after it was saved.`;
}
