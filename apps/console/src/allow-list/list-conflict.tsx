import { Button, Group } from '@mantine/core';
import type { Schema } from '../api/client';
import { Banner } from '../components/banner';
import type { Draft } from './use-draft';

type AllowList = Schema['AllowListResponse'];

/** Another list was saved in the meantime: what has changed, and which list to continue with. */
export function ListConflict({
  list,
  draft,
  onDecided,
}: {
  list: AllowList;
  draft: Draft;
  onDecided: () => void;
}) {
  return (
    <Banner tone="warn" alert title="This list has changed since you opened it.">
      <ul>
        {describeChanges(draft.begun, list).map((text) => (
          <li key={text}>{text}</li>
        ))}
      </ul>
      <Group gap="xs" mt="xs">
        <Button
          size="compact-sm"
          variant="default"
          onClick={() => {
            draft.startFrom(list);
            onDecided();
          }}
        >
          Use their list
        </Button>
        <Button
          size="compact-sm"
          variant="default"
          onClick={() => {
            draft.rebase(list);
            onDecided();
          }}
        >
          Keep my draft, and save it over theirs
        </Button>
      </Group>
    </Banner>
  );
}

/** What differs between two stored lists, one sentence for each entry. */
export function describeChanges(before: AllowList, after: AllowList): string[] {
  const was = new Map((before.entries ?? []).map((entry) => [entry.cidr, entry]));
  const is = new Map((after.entries ?? []).map((entry) => [entry.cidr, entry]));
  const removed = [...was.keys()].filter((cidr) => !is.has(cidr)).map((cidr) => `${cidr} was removed.`);
  const others = [...is.values()].flatMap((entry) => {
    const former = was.get(entry.cidr);
    if (!former) return [`${entry.cidr} was added${entry.added_by ? ` by ${entry.added_by}` : ''}.`];
    return former.note === entry.note && former.ends_at === entry.ends_at
      ? []
      : [`${entry.cidr} has a different note or end.`];
  });
  return [...removed, ...others];
}
