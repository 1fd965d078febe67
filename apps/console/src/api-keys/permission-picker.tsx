import { PERMISSION_TEXTS } from '@app/domain/keys/permission-texts';
import { PERMISSION_GROUPS, PERMISSIONS, type Permission } from '@app/domain/keys/permissions';
import { Button, Checkbox, Group, Stack, Switch, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { read } from '../api/client';
import { plainName } from '../components/inline';
import { plural } from '../components/number';

type Value = Permission[] | 'all';

export function PermissionPicker(props: {
  value: Value;
  onChange: (value: Value) => void;
  begins?: boolean;
  error?: string;
}) {
  const { value, onChange, begins, error } = props;
  const [search, setSearch] = useState('');
  const requested = search.trim().toLowerCase().replace(/\s+/g, '_');
  const groups = PERMISSION_GROUPS.map(({ title, permissions }) => ({
    title,
    shown: permissions.filter((name): name is Permission => name.includes(requested)),
  })).filter(({ shown }) => shown.length > 0);
  const picked = value === 'all' ? [...PERMISSIONS] : value;
  return (
    <Stack gap="sm">
      <Switch
        label="Everything, including permissions that are added later"
        checked={value === 'all'}
        onChange={(event) => onChange(event.currentTarget.checked ? 'all' : [])}
        error={error}
      />
      {value !== 'all' && (
        <>
          <TextInput
            type="search"
            data-autofocus={begins || undefined}
            label="Search the permissions"
            description={`${plural(picked.length, 'permission')} picked`}
            value={search}
            onChange={(event) => setSearch(event.currentTarget.value)}
          />
          {groups.map(({ title, shown }) => (
            <PermissionGroup key={title} title={title} shown={shown} picked={picked} onChange={onChange} />
          ))}
          {groups.length === 0 && <span className="gr-dimmed">No permission has this in its name.</span>}
        </>
      )}
    </Stack>
  );
}

function PermissionGroup(props: {
  title: string;
  shown: readonly Permission[];
  picked: Permission[];
  onChange: (value: Value) => void;
}) {
  const { title, shown, picked, onChange } = props;
  const textOf = usePermissionTexts();
  const others = picked.filter((name) => !shown.includes(name));
  const all = shown.every((name) => picked.includes(name));
  return (
    <fieldset style={{ border: '1px solid var(--line)', borderRadius: 8, minWidth: 0 }}>
      <legend style={{ padding: '0 6px' }}>
        <Group gap={4} wrap="nowrap" preventGrowOverflow={false}>
          <strong>{title}</strong>
          <Button
            size="compact-xs"
            variant="subtle"
            onClick={() => onChange(all ? others : [...others, ...shown])}
          >
            {all ? 'none of these' : 'all of these'}
          </Button>
        </Group>
      </legend>
      <div className="gr-choices">
        {shown.map((name) => (
          <Checkbox
            key={name}
            label={name}
            description={textOf(name)}
            checked={picked.includes(name)}
            onChange={(event) =>
              onChange(
                event.currentTarget.checked ? [...picked, name] : picked.filter((other) => other !== name),
              )
            }
          />
        ))}
      </div>
    </fieldset>
  );
}

/** Says what a permission lets a key do, how many operations require it, and which services have checked it. */
export function usePermissionTexts(): (name: Permission) => string {
  const query = useQuery({ ...read(['key-permissions'], '/admin/key-permissions'), staleTime: Infinity });
  const uses = new Map(query.data?.items.map((item) => [item.name, item]));
  return (name) => [PERMISSION_TEXTS[name], ...whereUsed(uses.get(name))].join(' ');
}

function whereUsed(use: { operations: string[]; services: string[] } | undefined): string[] {
  if (use === undefined) return [];
  const { operations, services } = use;
  if (operations.length === 0 && services.length === 0) return ['Nothing here uses it.'];
  return [
    ...(operations.length === 0 ? [] : [`${plural(operations.length, 'operation')} here.`]),
    ...(services.length === 0 ? [] : [`Checked by ${services.map(plainName).join(', ')}.`]),
  ];
}
