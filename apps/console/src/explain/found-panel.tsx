import { Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useEffect } from 'react';
import { read, type Schema } from '../api/client';
import { Empty, Loaded, Panel } from '../components/page';
import { Name, UserText, Time } from '../components/inline';
import { humanize } from '../components/number';
import { outcomesOf, type Outcome } from './outcome';
import type { RequestFields } from './request-form';

/** The keys and requests that a pasted text may mean. The only one is taken at once, unless its name only resembles the text. */
export function FoundPanel({ find, fields }: { find: string; fields: Partial<RequestFields> }) {
  const navigate = useNavigate();
  const query = useQuery(read(['search', find], '/admin/search', { q: find }));
  const { items = [], nearest = false } = query.data ?? {};
  const found = foundRequests(items, fields);
  const only = found.length === 1 && !nearest ? found[0] : undefined;
  useEffect(() => {
    if (only) void navigate({ to: '/explain', search: only.search as never, replace: true });
  }, [query.data]);
  if (found.length === 0 && !nearest && outcomesOf(items).length > 0)
    return <OutcomePanel requestId={find} />;
  return (
    <Panel title={nearest && found.length > 0 ? 'Nothing is called that. Did you mean:' : 'Which key?'}>
      <Loaded query={query}>
        {() =>
          found.length === 0 ? (
            <Empty title="No key or request found">
              Refused requests are stored for a while, the newest of each key; the last four are letters and
              digits of the secret’s end.
            </Empty>
          ) : (
            <Stack component="ul" gap="sm">
              {found.map(({ hit, search }) => (
                <li key={JSON.stringify(search)}>
                  <Link to="/explain" search={search as never}>
                    <Name>{hit.name}</Name>
                  </Link>
                  <div className="gr-dimmed">
                    <Name>{detailsOf(hit)}</Name>
                  </div>
                </li>
              ))}
            </Stack>
          )
        }
      </Loaded>
    </Panel>
  );
}

const detailsOf = ({ detail, status, account }: Hit) =>
  [detail, status && humanize(status), account?.name].filter(Boolean).join(' · ');

export function OutcomePanel({ requestId }: { requestId: string }) {
  const query = useQuery(read(['search', requestId], '/admin/search', { q: requestId }));
  return (
    <Panel title="What the request did">
      <Loaded query={query} lines={2}>
        {({ items, nearest }) => <Outcomes outcomes={nearest ? [] : outcomesOf(items)} />}
      </Loaded>
    </Panel>
  );
}

function Outcomes({ outcomes }: { outcomes: Outcome[] }) {
  if (outcomes.length === 0) {
    return (
      <Empty title="Nothing is recorded">
        A request that only reads leaves no record when it is let in. Of the others, and of refusals, the
        newest of each key are stored for 30 days.
      </Empty>
    );
  }
  return (
    <Stack component="ul" gap="sm" aria-label="What the request did">
      {outcomes.map(({ text, at, to }) => (
        <li key={`${text} ${at}`}>
          {to === undefined ? <UserText>{text}</UserText> : <OutcomeLink text={text} to={to} />}
          <div className="gr-dimmed">
            <Time at={at} />
          </div>
        </li>
      ))}
    </Stack>
  );
}

function OutcomeLink({ text, to }: { text: string; to: string }) {
  const [path, query = ''] = to.split('?');
  return (
    <Link to={path} search={Object.fromEntries(new URLSearchParams(query)) as never}>
      {text}
    </Link>
  );
}

type Hit = Schema['SearchHitResponse'];

const OPERATIONS: Record<string, Partial<RequestFields>> = {
  text_to_voice_design: { method: 'POST', path: '/v1/text-to-voice/design' },
  text_to_voice_remix: { method: 'POST', path: '/v1/text-to-voice/{voice_id}/remix' },
  text_to_speech: { method: 'POST', path: '/v1/text-to-speech/{voice_id}' },
};

/** Requests that can be explained: of keys that were found, or as they were sent. All that is recorded of a request is one. */
function foundRequests(
  hits: readonly Hit[],
  fields: Partial<RequestFields>,
): { hit: Hit; search: Record<string, string> }[] {
  const requests = new Set<string>();
  return hits.toSorted(chargesFirst).flatMap((hit): ReturnType<typeof foundRequests> => {
    if (hit.kind === 'program') return [{ hit, search: { credential: hit.id, ...fields } }];
    if (hit.key_id === null || (hit.kind !== 'key' && hit.kind !== 'request')) return [];
    if (hit.kind === 'key') return [{ hit, search: { key: hit.key_id, ...fields } }];
    const one = `${hit.key_id} ${hit.id}`;
    if (requests.has(one)) return [];
    requests.add(one);
    const sent = hits.find(
      ({ key_id, id, duration_ms }) => `${key_id} ${id}` === one && duration_ms !== null,
    );
    const request = { ...asSent(hit), ...(sent && asSent(sent)) };
    return [{ hit, search: { key: hit.key_id, request: hit.id, ...request, ...fields } }];
  });
}

/** What a request was charged is what it cost; a hold may be more. */
function chargesFirst(a: Hit, b: Hit): number {
  const rank = ({ status }: Hit) => (status === 'charge' ? 0 : 1);
  return rank(a) - rank(b);
}

function asSent({ name, detail, credits }: Hit): Partial<RequestFields> {
  const cost = credits !== null && { cost: String(credits) };
  const [method = '', path] = name.split(' ');
  if (path === undefined) return { ...OPERATIONS[name], ...cost };
  return { method, path, ...(detail !== null && { address: detail }), ...cost };
}
