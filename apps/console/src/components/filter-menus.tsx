import { Button, CloseButton, Group, Menu, Popover, TextInput, UnstyledButton } from '@mantine/core';
import { Choice, submitting } from './fields';
import { useState, type ReactElement } from 'react';
import { useQuery } from '@tanstack/react-query';
import { AccountField, AccountLabel } from './account-field';
import { managersQuery } from './labels';
import { plainName } from './inline';
import { describeValue, named, type Filter } from './list-filters';

export function AddFilterMenu(props: {
  target: ReactElement;
  filters: readonly Filter[];
  onAdd: (name: string) => void;
}) {
  const { target, filters, onAdd } = props;
  return (
    <Menu position="bottom-start">
      <Menu.Target>{target}</Menu.Target>
      <Menu.Dropdown mah="70vh" style={{ columns: 2, columnGap: 0, overflowY: 'auto' }}>
        {filters.map(({ name, label }) => (
          <Menu.Item key={name} onClick={() => onAdd(name)}>
            {label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

interface ChipProps {
  filter: Filter;
  value: string | undefined;
  opened: boolean;
  onToggle: (open: boolean) => void;
  onApply: (value: string | undefined) => void;
}

export function FilterChip({ filter, value, opened, onToggle, onApply }: ChipProps) {
  return (
    <Popover opened={opened} onChange={onToggle} position="bottom-start" trapFocus returnFocus>
      <div className="gr-chip">
        <Popover.Target>
          <UnstyledButton onClick={() => onToggle(!opened)}>
            {filter.label}
            {value !== undefined && (
              <>
                :{' '}
                <strong>
                  <ValueLabel filter={filter} value={value} />
                </strong>
              </>
            )}
          </UnstyledButton>
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

function useManagers({ kind }: Filter) {
  const { data } = useQuery({ ...managersQuery, enabled: kind === 'manager' });
  return (data?.items ?? []).map((manager) => ({ ...manager, name: plainName(manager.name) }));
}

function ValueLabel({ filter, value }: { filter: Filter; value: string }) {
  const managers = useManagers(filter);
  if (filter.kind === 'account') return <AccountLabel id={value} />;
  return managers.find((manager) => manager.id === value)?.name ?? describeValue(filter, value);
}

function Editor({ filter, value, onApply }: Omit<ChipProps, 'opened' | 'onToggle'>) {
  const managers = useManagers(filter);
  if (filter.kind === 'account') return <AccountField onPick={onApply} />;
  if ('choices' in filter)
    return (
      <Choice
        label={filter.label}
        data-autofocus
        value={value ?? ''}
        data={[
          { value: '', label: 'Any' },
          ...named(filter.choices),
          ...managers.map(({ id, name, email }) => ({ value: id, label: `${name} (${email})` })),
        ]}
        onPick={(value) => onApply(value || undefined)}
      />
    );
  return <TextEditor filter={filter} value={value} onApply={onApply} />;
}

function TextEditor({ filter, value = '', onApply }: Omit<ChipProps, 'opened' | 'onToggle'>) {
  const isDate = filter.kind === 'date';
  const [text, setText] = useState(value);
  return (
    <form onSubmit={submitting(() => onApply(text.trim() || undefined))}>
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
