import { shortDayText, weekdayText } from '@app/domain/common/date-text';
import { DAY_MS } from '@app/domain/common/utc-days';
import { Button, Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { GrantButton, GrantedBanner, type Granted } from '../accounts/grant-button';
import {
  CreditsMeter,
  FourteenDays,
  inDays,
  isOut,
  Lasts,
  percentOf,
  perDay,
  toneOf,
} from '../accounts/standing';
import { api, type Schema } from '../api/client';
import { AccountName, KeyName, Name } from '../components/inline';
import { Answer, Loaded, Panel } from '../components/page';
import { Lane, LaneAxis, type Calendar } from '../components/lane';
import { asQuery } from '../components/list-search';
import type { ListSearch } from '../components/list-filters';
import { formatNumber, plural } from '../components/number';
import { waitingText } from './waiting';
import { FirstSteps } from './first-steps';
import { dayFromNow, WATCH_MS } from '../components/watch';

type Account = Schema['ListedAccountResponse'];

const SHOWN = 20;
const KEYS_SHOWN = 5;
const DAYS = 31;
const MINE = { manager: 'me', status: 'active', sort: 'lasts' };
/** Of others, only those that are refused now: it costs little to look for them. */
const OUT = { status: 'active', min_credits_percent: '100', sort: '-credit_share' };
const EXPIRING = { manager: 'me', status: 'enabled', sort: 'expires_at' };

const runsOut = ({ standing: { credits } }: Account) => toneOf(credits) !== 'good';
const shareOf = ({ standing: { credits } }: Account) => percentOf(credits);

const list = (search: ListSearch, limit = SHOWN) =>
  api.GET('/admin/accounts', asQuery({ ...search, limit: String(limit) }));

async function findCustomers() {
  const [mine, out, any] = await Promise.all([list(MINE), list(OUT), list({}, 1)]);
  // Those that last come without an order.
  const items = [
    ...mine.items.filter(runsOut),
    ...mine.items.filter((account) => !runsOut(account)).toSorted((a, b) => shareOf(b) - shareOf(a)),
  ];
  return {
    mine: { ...mine, items },
    others: out.items.filter(({ id }) => !mine.items.some((one) => one.id === id)),
    any,
  };
}
type Found = Awaited<ReturnType<typeof findCustomers>>;
export const customersQuery = { queryKey: ['accounts', 'customers'], queryFn: findCustomers };

/**
 * Whom to call today: the accounts of the reader that run out, first to run out first, on one calendar; of others, those that
 * are out.
 *
 * @param props.waiting how many things wait for the reader, null while that is not known
 */
export function Customers({ waiting, children }: { waiting: number | null; children: ReactNode }) {
  const [done, setDone] = useState<Granted | null>(null);
  const query = useQuery({ ...customersQuery, refetchInterval: WATCH_MS });
  if (query.data?.any.total === 0)
    return (
      <>
        <FirstSteps />
        {waiting !== 0 && children}
      </>
    );
  return (
    <>
      <Loaded query={query}>
        {(found) => (
          <>
            <Answer sentence={sentenceOf(found)}>
              {firstOf(found)} {waiting === null ? '' : waitingText(waiting)}
            </Answer>
            {done && <GrantedBanner key={JSON.stringify(done)} {...done} />}
            {found.mine.total + found.others.length > 0 && <Runway found={found} onDone={setDone} />}
          </>
        )}
      </Loaded>
      {query.data && query.data.mine.total > 0 ? (
        <div className="gr-halves gr-wider">
          {children}
          <ExpiringKeys />
        </div>
      ) : (
        children
      )}
    </>
  );
}

function sentenceOf({ mine: { items, total }, others }: Found): string {
  if (total === 0)
    return `${others.length === 0 ? 'No account is' : plural(others.length, 'account is', 'accounts are')} out of credits.`;
  const count = items.filter(runsOut).length;
  const verb = count > 1 ? 'run' : 'runs';
  if (total === 1)
    return `Your customer ${count === 1 ? verb : 'does not run'} out before its credits renew.`;
  // The first to run out come first: where all of a page do, there may be more.
  const atLeast = count === items.length && total > count ? 'At least ' : '';
  const who = count === 0 ? 'None' : `${atLeast}${formatNumber(count)}`;
  return `${who} of your ${formatNumber(total)} customers ${verb} out before their credits renew.`;
}

function firstOf({ mine: { items }, others }: Found): ReactNode {
  const [first = others[0]] = items;
  if (first === undefined) return null;
  if (!runsOut(first))
    return (
      <>
        <Name>{first.name}</Name> has used the most: {shareOf(first)} % of its credits.
      </>
    );
  const { credits } = first.standing;
  const { used, limit, runs_out_at: end, period_end } = credits;
  if (isOut(credits) || end === null)
    return (
      <>
        <Name>{first.name}</Name> is first: it is refused until {weekdayText(period_end)}.
      </>
    );
  const early = Math.ceil((Date.parse(period_end) - Date.parse(end)) / DAY_MS);
  return (
    <>
      <Name>{first.name}</Name> is first: at the present pace its {formatNumber(limit - used)} credits end on{' '}
      {weekdayText(end)}, {plural(early, 'day')} too early.
    </>
  );
}

function Runway({ found: { mine, others }, onDone }: { found: Found; onDone: (done: Granted) => void }) {
  const calendar = { from: new Date().setHours(0, 0, 0, 0), days: DAYS };
  const row = (account: Account, who: string) => (
    <RunwayRow
      key={account.id}
      account={account}
      who={who}
      calendar={calendar}
      isFirst={account === (mine.items[0] ?? others[0])}
      onDone={onDone}
    />
  );
  return (
    <Panel title="Runway" note={`the next ${DAYS} days, first to run out first`} actions={<RunwayKey />}>
      <div className="gr-runway">
        <table className="gr-table gr-stacks" aria-label="Accounts, the first to run out first">
          <thead>
            <tr>
              <th>Account</th>
              <th data-wide>Tier</th>
              <th colSpan={2} style={{ paddingLeft: 16 }}>
                Used, and pace
              </th>
              <th className="gr-number">A day</th>
              <th>14 days</th>
              <th>Runs out</th>
              <th style={{ width: '34%', minWidth: 260 }}>
                <LaneAxis calendar={calendar} text={shortDayText} />
              </th>
              <td />
            </tr>
          </thead>
          <tbody>{mine.items.map((account) => row(account, account.tier))}</tbody>
          {others.length > 0 && (
            <tbody>
              {mine.total > 0 && (
                <tr>
                  <th colSpan={9} scope="rowgroup">
                    Of other account managers, out of credits
                  </th>
                </tr>
              )}
              {others.map((account) => row(account, account.manager?.name ?? 'no manager'))}
            </tbody>
          )}
        </table>
      </div>
      {mine.total > SHOWN && (
        <Link to="/accounts" search={MINE as never}>
          All {formatNumber(mine.total)} accounts of mine
        </Link>
      )}
    </Panel>
  );
}

function RunwayKey() {
  return (
    <Group className="gr-runway-key" gap={14} fz="sm" c="dimmed" aria-hidden>
      {(
        [
          ['left', 'has credits'],
          ['lacks', 'would be refused'],
          ['renews', 'renews'],
          ['expires', 'a key expires'],
        ] as const
      ).map(([is, text]) => (
        <span key={is}>
          <i data-is={is} />
          {text}
        </span>
      ))}
    </Group>
  );
}

function RunwayRow(props: {
  account: Account;
  who: string;
  calendar: Calendar;
  isFirst: boolean;
  onDone: (done: Granted) => void;
}) {
  const { account, who, calendar, isFirst, onDone } = props;
  const { credits, key_expires_at: expiresAt } = account.standing;
  const renewsAt = Date.parse(credits.period_end);
  const endsAt = isOut(credits)
    ? calendar.from
    : credits.runs_out_at === null
      ? renewsAt
      : Date.parse(credits.runs_out_at);
  const rate = perDay(credits, account.created_at);
  const words = [
    endsAt === renewsAt
      ? 'has credits'
      : isOut(credits)
        ? 'is refused'
        : `has credits until ${weekdayText(endsAt)}`,
    `renews ${weekdayText(renewsAt)}`,
    ...(expiresAt === null ? [] : [`a key expires ${weekdayText(expiresAt)}`]),
  ];
  return (
    <tr>
      <td>
        <AccountName account={account} />
      </td>
      <td data-wide className="gr-dimmed">
        {who}
      </td>
      <td className="gr-number">{percentOf(credits)} %</td>
      <td>
        <CreditsMeter credits={credits} />
      </td>
      <td data-wide className="gr-number gr-dimmed">
        {rate === 0 ? 'none' : formatNumber(rate)}
      </td>
      <td data-wide>
        <FourteenDays credits={credits} />
      </td>
      <td data-wide={runsOut(account) ? undefined : true}>
        <Lasts credits={credits} />
      </td>
      <td className="gr-when">
        <Lane
          calendar={calendar}
          endsAt={endsAt}
          renewsAt={renewsAt}
          expiresAt={expiresAt === null ? undefined : Date.parse(expiresAt)}
          tone={toneOf(credits)}
          label={words.join(', ')}
        />
      </td>
      <td>{runsOut(account) && <GrantButton account={account} primary={isFirst} onDone={onDone} />}</td>
    </tr>
  );
}

function ExpiringKeys() {
  const search = { ...EXPIRING, expiring_before: dayFromNow(DAYS) };
  const query = useQuery({
    queryKey: ['api-keys', 'expiring', search.expiring_before],
    queryFn: () => api.GET('/admin/api-keys', asQuery({ ...search, limit: String(KEYS_SHOWN) })),
    refetchInterval: WATCH_MS,
  });
  return (
    <Panel
      title="Keys that expire"
      note={`in ${DAYS} days`}
      actions={
        query.data &&
        query.data.total > KEYS_SHOWN && (
          <Link to="/api-keys" search={search as never}>
            All {formatNumber(query.data.total)}
          </Link>
        )
      }
    >
      <Loaded query={query} empty={[`No key of your accounts expires in ${DAYS} days`]}>
        {({ items }) => (
          <ul className="gr-todo" aria-label="Keys that expire, the first first">
            {items.map(({ id, name, account, expires_at: at }) => (
              <li key={id} data-plain>
                <div>
                  <KeyName id={id} name={name} />
                  <span className="gr-dimmed">
                    <AccountName account={account} />
                  </span>
                </div>
                {at !== null && (
                  <div>
                    <span>{weekdayText(at)}</span>
                    <span className="gr-dimmed">{inDays(at)}</span>
                  </div>
                )}
                <Button
                  component={Link}
                  to={`/api-keys/${id}`}
                  search={{ do: 'edit.expires_at' } as never}
                  variant="default"
                  size="compact-sm"
                  aria-label={`Extend: ${name}`}
                >
                  Extend…
                </Button>
              </li>
            ))}
          </ul>
        )}
      </Loaded>
    </Panel>
  );
}
