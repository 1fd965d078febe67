import { Button, CloseButton, Group, Menu, NativeSelect, Popover, TextInput } from '@mantine/core';
import { useState, type FormEvent } from 'react';
import { AccountField, AccountLabel } from './account-field';
import { describeValue, type Filter } from './list-filters';
import type { List } from './list-search';
import { SearchField } from './search-field';

/** What a list is narrowed to: its search, a chip for each filter, and a menu of those that can be added. */
export function FilterBar({ list }: { list: List }) {
  const [opened, setOpened] = useState<string | null>(null);
  const { filters, search, filter: narrow } = list;
  const searched = filters.filter(({ kind }) => kind === 'search');
  const others = filters.filter(({ kind }) => kind !== 'search');
  const shown = others.filter(({ name }) => search[name] !== undefined || name === opened);
  const free = others.filter((filter) => !shown.includes(filter));
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
          onSearch={(text) => narrow({ [name]: text })}
        />
      ))}
      {shown.map((filter) => (
        <FilterChip
          key={filter.name}
          filter={filter}
          value={search[filter.name]}
          opened={filter.name === opened}
          onToggle={(open) => setOpened(open ? filter.name : null)}
          onApply={(value) => apply(filter.name, value)}
        />
      ))}
      {free.length > 0 && (
        <Menu position="bottom-start">
          <Menu.Target>
            <Button variant="default">Add filter</Button>
          </Menu.Target>
          <Menu.Dropdown mah="70vh" style={{ overflowY: 'auto' }}>
            {free.map(({ name, label }) => (
              <Menu.Item key={name} onClick={() => setOpened(name)}>
                {label}
              </Menu.Item>
            ))}
          </Menu.Dropdown>
        </Menu>
      )}
      {isNarrowed && (
        <Button variant="subtle" onClick={list.clear}>
          Clear the filters
        </Button>
      )}
    </Group>
  );
}

interface ChipProps {
  filter: Filter;
  value: string | undefined;
  opened: boolean;
  onToggle: (open: boolean) => void;
  onApply: (value: string | undefined) => void;
}

function FilterChip({ filter, value, opened, onToggle, onApply }: ChipProps) {
  return (
    <Popover opened={opened} onChange={onToggle} position="bottom-start" trapFocus returnFocus>
      <div className="gr-chip">
        <Popover.Target>
          <button type="button" onClick={() => onToggle(!opened)}>
            {filter.label}
            {value !== undefined && (
              <>
                :{' '}
                <strong>
                  {filter.kind === 'account' ? <AccountLabel id={value} /> : describeValue(filter, value)}
                </strong>
              </>
            )}
          </button>
        </Popover.Target>
        <CloseButton
          size="sm"
          aria-label={`Remove the filter ${filter.label}`}
          onClick={() => onApply(undefined)}
        />
      </div>
      <Popover.Dropdown miw={260}>
        <Editor filter={filter} value={value} onApply={onApply} />
      </Popover.Dropdown>
    </Popover>
  );
}

function Editor({ filter, value, onApply }: Omit<ChipProps, 'opened' | 'onToggle'>) {
  if (filter.kind === 'account') return <AccountField onPick={onApply} />;
  if (filter.kind === 'choice') {
    return (
      <NativeSelect
        label={filter.label}
        data-autofocus
        value={value ?? ''}
        data={[{ value: '', label: 'Any' }, ...filter.choices]}
        onChange={(event) => onApply(event.currentTarget.value || undefined)}
      />
    );
  }
  return <TextEditor filter={filter} value={value} onApply={onApply} />;
}

function TextEditor({ filter, value = '', onApply }: Omit<ChipProps, 'opened' | 'onToggle'>) {
  const isDate = filter.kind === 'date';
  const [text, setText] = useState(value);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onApply(text.trim() || undefined);
  };
  return (
    <form onSubmit={submit}>
      <Group gap="xs" align="end" wrap="nowrap">
        <TextInput
          type={isDate ? 'date' : 'text'}
          label={filter.label}
          placeholder={filter.kind === 'text' ? filter.placeholder : undefined}
          data-autofocus
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
        <Button type="submit">Apply</Button>
      </Group>
    </form>
  );
}
