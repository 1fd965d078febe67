import { Button, Group, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { api, readPage, queryClient, refresh, useMe } from '../api/client';
import { Person, AccountName, Name, Time } from '../components/inline';
import { DataTable, type Column } from '../components/data-table';
import { useKeys } from '../components/keyboard';
import { FilteredList } from '../components/filtered-list';
import type { ListSearch } from '../components/list-filters';
import { useListSearch } from '../components/list-search';
import { Loaded, PageHeader, Panel } from '../components/page';
import { Banner, ProblemBanner } from '../components/banner';
import { plural, humanize } from '../components/number';
import { useSelection } from '../components/selection';
import { useRequestedAction } from '../components/use-requested-action';
import { GradeBadge } from '../voices/voice-badge';
import { DecideManyDialog } from './decide-many-dialog';
import { DeskItemPanel, DueTime } from './desk-item-panel';
import {
  DESK_FILTERS,
  DESK_KEY,
  DESK_MS,
  itemQuery,
  summaryQuery,
  visitQuery,
  type DeskItem,
} from './desk-queries';

export default function ReviewDeskPage() {
  const list = useListSearch(DESK_FILTERS);
  const { item: itemId }: ListSearch = useSearch({ strict: false });
  const navigate = useNavigate();
  const [said, setSaid] = useState<string | null>(null);
  const sitting = useSitting();
  const show = (id: string | undefined) => {
    setSaid(null);
    void navigate({ to: '.', search: { ...list.search, item: id } as never });
  };
  const { reason, account_id } = list.search;
  const next = useMutation({
    mutationFn: () => api.POST('/admin/review-desk/take-next', {}, { reason, account_id } as never),
    onSuccess: ({ item }) => {
      if (item) queryClient.setQueryData(itemQuery(item.id).queryKey, item);
      void refresh(DESK_KEY);
      show(item?.id);
      if (!item) setSaid('Nothing is left for you.');
    },
  });
  const query = useQuery({
    ...readPage([...DESK_KEY, 'items', list.search], '/admin/review-desk', list.query),
    refetchInterval: DESK_MS,
  });
  const openItem = useQuery({ ...itemQuery(itemId ?? ''), enabled: itemId !== undefined });
  const takeNext = () => {
    if (!next.isPending) next.mutate();
  };
  const undo = useMutation({
    mutationFn: () => api.POST('/admin/review-desk/undo'),
    onSuccess: ({ item_ids: [first, ...more] }) => {
      next.reset();
      void refresh(DESK_KEY);
      show(more.length === 0 ? first : undefined);
      sitting.remove(more.length + 1);
      setSaid(
        `Undone: ${plural(more.length + 1, 'decision')}. You have ${more.length === 0 ? 'it' : 'them'} again.`,
      );
    },
  });
  const undoLast = () => {
    if (!undo.isPending) undo.mutate();
  };
  useKeys({ n: takeNext, u: undoLast });
  const [requested, setRequested] = useRequestedAction<'next'>();
  useEffect(() => {
    if (requested !== 'next') return;
    setRequested(null);
    takeNext();
  }, [requested]);
  const selection = useSelection(list);
  const [deciding, many] = useDisclosure();
  const decided = () => {
    setSaid(null);
    undo.reset();
    sitting.add();
    takeNext();
  };
  const left = () => {
    show(undefined);
    void refresh(DESK_KEY);
  };
  const summary = <Summary itemId={itemId ?? null} sitting={sitting.text} />;
  const table = {
    name: 'Review desk',
    query,
    list,
    empty: 'No voice waits for a person.',
  };
  return (
    <>
      <PageHeader title="Review desk" hint={itemId === undefined && summary}>
        <Button variant="default" onClick={undoLast} loading={undo.isPending}>
          Undo my last<kbd aria-hidden>U</kbd>
        </Button>
        <Button onClick={takeNext} loading={next.isPending}>
          Take the next<kbd aria-hidden>N</kbd>
        </Button>
      </PageHeader>
      <Stack mt={itemId === undefined ? undefined : 'md'}>
        {said !== null && <Banner tone="good">{said}</Banner>}
        <ProblemBanner error={next.error ?? undo.error} />
        {itemId === undefined ? (
          <Panel>
            <FilteredList
              {...table}
              views={{ screen: 'review-desk' }}
              bulk={
                <Button size="compact-sm" onClick={many.open}>
                  Decide on them…
                </Button>
              }
              bulkOnAll={false}
              columns={columnsOf(list.search)}
              selection={list.search.state === 'decided' ? undefined : selection}
            />
          </Panel>
        ) : (
          <div className="gr-split gr-desk">
            <Stack gap="xs" className="gr-waits">
              {summary}
              <DataTable {...table} columns={[besideColumn(list.search, itemId)]} />
            </Stack>
            <Loaded key={itemId} query={openItem}>
              {(item) => <DeskItemPanel item={item} onDecided={decided} onLeft={left} />}
            </Loaded>
          </div>
        )}
      </Stack>
      {itemId !== undefined && <KeyBar />}
      {deciding && (
        <DecideManyDialog
          itemIds={[...selection.ids]}
          onDone={(text) => {
            sitting.add(selection.ids.size);
            selection.clear();
            setSaid(text);
            void refresh(DESK_KEY);
          }}
          onClose={many.close}
        />
      )}
    </>
  );
}

function Summary({ itemId, sitting }: { itemId: string | null; sitting: string | null }) {
  const me = useMe();
  const { data: summary } = useQuery(summaryQuery);
  const { data: visitors } = useQuery(visitQuery(itemId));
  const others = (visitors?.items ?? []).filter(({ id }) => id !== me.id);
  return (
    <>
      <div>
        {summary
          ? `${plural(summary.waiting, 'voice')} ${summary.waiting === 1 ? 'waits' : 'wait'}, ${summary.overdue} overdue, ${summary.snoozed} snoozed.`
          : 'Voices that wait for a person.'}
        {sitting !== null && ` ${sitting}`}
      </div>
      <div role="status">
        {others.length > 0 && 'Also here: '}
        {others.map(({ id, name, item_id: item }, index) => (
          <span key={id}>
            {index > 0 && ', '}
            <bdi>{name}</bdi>
            {item !== null && item === itemId && ' (looks at this voice)'}
          </span>
        ))}
      </div>
    </>
  );
}

/** What was decided since the screen was opened, and how long each took. */
function useSitting() {
  const [startedAt] = useState(Date.now);
  const [{ count, at }, setDecided] = useState({ count: 0, at: 0 });
  const secs = Math.round((at - startedAt) / 1_000 / Math.max(1, count));
  return {
    add: (decisions = 1) =>
      setDecided(({ count: before }) => ({ count: before + decisions, at: Date.now() })),
    /** Decisions that were undone. */
    remove: (undone: number) =>
      setDecided(({ count: before, at: last }) => ({ count: Math.max(0, before - undone), at: last })),
    text: count === 0 ? null : `You decided ${count}, ${secs} s each.`,
  };
}

const KEYS = [
  ['Space', 'play'],
  ['1', 'to'],
  ['5', 'grade'],
  ['Enter', 'decide, next'],
  ['U', 'undo'],
  ['N', 'next'],
  ['T', 'take'],
  ['J', ''],
  ['K', 'move'],
  ['S', 'snooze'],
  ['?', 'all keys'],
] as const;

function KeyBar() {
  return (
    <Group className="gr-keybar" visibleFrom="sm" gap="4px 8px" p="8px 12px" fz="sm" c="dimmed" aria-hidden>
      {KEYS.map(([key, does]) => (
        <span key={key}>
          <kbd>{key}</kbd> {does}
        </span>
      ))}
    </Group>
  );
}

/** What waits, beside an open item: two lines each. */
function besideColumn(search: ListSearch, open: string): Column<DeskItem> {
  return {
    id: 'beside',
    header: 'Waits',
    cell: (item) => (
      <Group
        justify="space-between"
        gap="0 8px"
        className="gr-wait"
        aria-current={item.id === open || undefined}
      >
        <Link to="/review-desk" search={{ ...search, item: item.id } as never}>
          <Name>{item.voice.name}</Name>
        </Link>
        <DueTime item={item} />
        <Text fz="sm" c="dimmed" w="100%">
          {item.reasons.map(humanize).join(', ')} · <WhoHas item={item} />
        </Text>
      </Group>
    ),
  };
}

function columnsOf(search: ListSearch): Column<DeskItem>[] {
  return [
    {
      header: 'Voice',
      cell: ({ id, voice }) => (
        <Link to="/review-desk" search={{ ...search, item: id } as never}>
          <Name>{voice.name}</Name>
        </Link>
      ),
    },
    { header: 'Account', wide: 'tablet', cell: ({ account }) => <AccountName account={account} /> },
    { header: 'Tier', wide: 'tablet', cell: ({ account }) => account.tier ?? '' },
    { header: 'Reasons', cell: ({ reasons }) => reasons.map(humanize).join(', ') },
    {
      header: 'Grade',
      wide: 'tablet',
      cell: ({ recording_quality: grade, blind, decided_at: at }) =>
        blind && at === null ? <span className="gr-dimmed">blind</span> : <GradeBadge grade={grade} />,
    },
    { header: 'Since', wide: 'tablet', cell: ({ created_at }) => <Time at={created_at} relative /> },
    { header: 'Due', cell: (item) => <DueTime item={item} /> },
    { header: 'Who', cell: (item) => <WhoHas item={item} /> },
  ];
}

function WhoHas({ item }: { item: DeskItem }) {
  if (item.decided_by !== null) return <Person by={item.decided_by} />;
  if (item.taken_by)
    return (
      <>
        <bdi>{item.taken_by.name}</bdi> has it
      </>
    );
  if (item.assigned_to)
    return (
      <>
        for <bdi>{item.assigned_to.name}</bdi>
      </>
    );
  return <span className="gr-dimmed">free</span>;
}
