import { Button, CloseButton, Group } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQuery } from '@tanstack/react-query';
import { api, read, type Schema, refresh } from '../api/client';
import { lazyScreen } from '../api/lazy-screen';
import type { ListSearch } from './list-filters';
import type { CountOf, List } from './list-search';
import { plainName } from './inline';
import { formatNumber } from './number';
import { Part } from './part';

const SaveViewDialog = lazyScreen(() => import('./save-view-dialog'), 'SaveViewDialog');

type Screen = Schema['SaveViewBody']['screen'];

export interface Preset {
  label: string;
  search: ListSearch;
}

/**
 * The presets of a list, with how many rows each has where `countOf` reads that, and the views that its reader has saved, each
 * one click away; and a way to save this one.
 */
export function SavedViews(props: {
  screen: Screen;
  list: List;
  presets?: readonly Preset[];
  countOf?: CountOf;
}) {
  const { screen, list, presets = [], countOf } = props;
  const [saving, save] = useDisclosure();
  const views = useQuery(read(['saved-views', screen], '/admin/saved-views', { screen }));
  const remove = useMutation({
    mutationFn: (id: string) => api.DELETE('/admin/saved-views/{view_id}', id),
    onSettled: () => refresh(['saved-views', screen]),
  });
  const saved = (views.data?.items ?? []).map(({ id, name, query }) => ({
    id,
    label: plainName(name),
    search: Object.fromEntries(new URLSearchParams(query)),
  }));
  const shown = toQuery(list.search);
  const tab = ({ label, search }: Preset, counts?: CountOf) => (
    <Button
      key={label}
      size="compact-sm"
      variant={toQuery(search) === shown ? 'light' : 'subtle'}
      aria-pressed={toQuery(search) === shown}
      onMouseEnter={() => list.prepare(search)}
      onFocus={() => list.prepare(search)}
      onClick={() => list.show(search)}
    >
      {label}
      {counts && <Count query={counts(search)} />}
    </Button>
  );
  if (presets.length + saved.length === 0 && shown === '') return null;
  return (
    <Group gap="xs" role="group" aria-label="Views" className="gr-views">
      {presets.map((preset) => tab(preset, countOf))}
      {saved.map((view) => (
        <Group key={view.id} gap={2} wrap="nowrap">
          {tab(view)}
          <CloseButton
            size="sm"
            aria-label={`Delete the view ${view.label}`}
            onClick={() => remove.mutate(view.id)}
          />
        </Group>
      ))}
      {shown !== '' && !saved.some(({ search }) => toQuery(search) === shown) && (
        <Button size="compact-sm" variant="subtle" onClick={save.open}>
          Save this view…
        </Button>
      )}
      {saving && (
        <Part>
          <SaveViewDialog screen={screen} query={shown} onClose={save.close} />
        </Part>
      )}
    </Group>
  );
}

/** How many rows a view has; not a part of its button's name. */
function Count({ query }: { query: ReturnType<CountOf> }) {
  const { data } = useQuery(query);
  return (
    data && (
      <span className="gr-note" aria-hidden>
        {`${data.total_is_estimate ? '≈ ' : ''}${formatNumber(data.total)}`}
      </span>
    )
  );
}

/** Filters and order in one spelling, without the page. */
function toQuery({ cursor: _cursor, limit: _limit, ...search }: ListSearch): string {
  const entries = Object.entries(search).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return new URLSearchParams(entries.sort(([a], [b]) => a.localeCompare(b))).toString();
}
