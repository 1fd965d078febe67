import { Button, Group, TextInput } from '@mantine/core';
import { useState, useEffect, useRef } from 'react';
import { lazyScreen } from '../api/lazy-screen';
import { Late } from './late';
import type { List } from './list-search';
import { useMay } from '../api/client';
import { Part } from './part';
import { useDebouncedCallback } from '@mantine/hooks';
import { Search } from '../icons/icons';
import { pressedKey } from './pressed-key';
import { withoutSecrets } from '@app/domain/keys/secret-text';

const AddFilterMenu = lazyScreen(() => import('./filter-menus'), 'AddFilterMenu');
const FilterChip = lazyScreen(() => import('./filter-menus'), 'FilterChip');

/** What a list is narrowed to: its search, a chip for each filter, and a menu of those that can be added. */
export function FilterBar({ list }: { list: List }) {
  const [opened, setOpened] = useState<string | null>(null);
  const { filters, search, filter: narrow } = list;
  const searched = filters.filter(({ kind }) => kind === 'search');
  const others = filters.filter(({ kind }) => kind !== 'search');
  const shown = others.filter(({ name }) => search[name] !== undefined || name === opened);
  const may = useMay();
  const free = others.filter(
    (filter) => !shown.includes(filter) && (filter.kind !== 'account' || may('accounts.read')),
  );
  const isNarrowed = filters.some(({ name }) => search[name] !== undefined);
  const apply = (name: string, value: string | undefined) => {
    setOpened(null);
    narrow({ [name]: value });
  };
  return (
    <Group gap="xs" align="end" className="gr-filter-bar">
      {searched.map(({ name, label }) => (
        <SearchField
          key={name}
          label={label}
          value={search[name]}
          onSearch={(text) => list.searchFor({ [name]: text })}
        />
      ))}
      {shown.map((filter) => (
        <Part key={filter.name} waiting={<div className="gr-chip">{filter.label}</div>}>
          <FilterChip
            filter={filter}
            value={search[filter.name]}
            opened={filter.name === opened}
            onToggle={(open) => setOpened(open ? filter.name : null)}
            onApply={(value) => apply(filter.name, value)}
          />
        </Part>
      ))}
      {free.length > 0 && (
        <Late
          button={
            <Button variant="default" bd="1px dashed var(--line-strong)">
              Add filter
            </Button>
          }
        >
          {(target) => <AddFilterMenu target={target} filters={free} onAdd={setOpened} />}
        </Late>
      )}
      {isNarrowed && (
        <Button variant="subtle" onClick={list.clear}>
          Clear the filters
        </Button>
      )}
    </Group>
  );
}

const PAUSE_MS = 250;

/**
 * A text to search for, which takes effect when the typing pauses. `/` brings the cursor here; Enter searches at once and
 * leaves the field, so that `j` and `k` move among the rows.
 */
function SearchField(props: { label: string; value?: string; onSearch: (text: string | undefined) => void }) {
  const { label, value = '', onSearch } = props;
  const [text, setText] = useState(value);
  const sent = useRef(value);
  const search = useDebouncedCallback((typed: string) => {
    // Of a secret only its last four characters leave this browser, or stand in its address bar.
    const next = withoutSecrets(typed);
    sent.current = next;
    onSearch(next === '' ? undefined : next);
  }, PAUSE_MS);
  useEffect(() => {
    // The address has changed in another way: a link, the back button.
    if (value !== sent.current) setText((sent.current = value));
  }, [value]);
  return (
    <TextInput
      type="search"
      aria-label={label}
      placeholder={label}
      leftSection={<Search size={15} aria-hidden />}
      rightSection={<kbd aria-hidden>/</kbd>}
      rightSectionWidth={34}
      value={text}
      data-search
      onKeyDown={(event) => {
        if (pressedKey(event.nativeEvent) !== 'Enter') return;
        search.flush();
        event.currentTarget.blur();
      }}
      onChange={(event) => {
        setText(event.currentTarget.value);
        search(event.currentTarget.value.trim());
      }}
    />
  );
}
