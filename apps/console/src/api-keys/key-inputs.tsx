import type { Permission } from '@app/domain/keys/permissions';
import { Input, SimpleGrid, TextInput } from '@mantine/core';
import { useState } from 'react';
import { fieldProblem } from '../api/problem';
import type { Schema } from '../api/client';
import { FILING_FIELDS, FilingInputs, toExternalId, toTags } from '../components/filing';
import { fromLocalInput, toLocalInput } from '../components/local-time';
import { toNumber, useFields } from '../components/use-fields';
import { ExpiryPresets } from './expiry-presets';
import { PermissionPicker } from './permission-picker';

export const KEY_FIELDS = [
  'name',
  'permissions',
  'credit_limit',
  'expires_at',
  'requests_per_minute',
  ...FILING_FIELDS,
];

/** The settings of a key, new or present. */
export function useKeyFields(key?: Schema['ApiKeyResponse']) {
  const text = (value: number | null | undefined) =>
    value === null || value === undefined ? '' : String(value);
  const expiry = key?.expires_at ?? null;
  const shownExpiry = toLocalInput(expiry);
  const fields = useFields({
    name: key?.name ?? '',
    credit_limit: text(key?.credits.limit),
    requests_per_minute: text(key?.requests_per_minute),
    expires_at: shownExpiry,
    tags: (key?.tags ?? []).join(' '),
    external_id: key?.external_id ?? '',
  });
  const [permissions, setPermissions] = useState<Permission[] | 'all'>(
    (key?.permissions as Permission[] | 'all' | undefined) ?? [],
  );
  const { values } = fields;
  const body = {
    name: values.name,
    permissions,
    credit_limit: toNumber(values.credit_limit),
    requests_per_minute: toNumber(values.requests_per_minute),
    tags: toTags(values.tags),
    external_id: toExternalId(values.external_id),
    // The input shows minutes: what was not touched keeps its seconds.
    expires_at: values.expires_at === shownExpiry ? expiry : fromLocalInput(values.expires_at),
  };
  return { fields, permissions, setPermissions, body };
}

export function KeyInputs({
  settings: { fields, permissions, setPermissions },
  problem,
}: {
  settings: ReturnType<typeof useKeyFields>;
  problem: unknown;
}) {
  return (
    <>
      <TextInput label="Name" description="What the key is for." required {...fields.text('name', problem)} />
      <SimpleGrid cols={{ base: 1, sm: 3 }}>
        <TextInput
          label="Credits a period"
          placeholder="The account's limit only"
          inputMode="numeric"
          {...fields.text('credit_limit', problem)}
        />
        <TextInput
          label="Requests a minute"
          placeholder="From the tier"
          inputMode="numeric"
          {...fields.text('requests_per_minute', problem)}
        />
        <TextInput type="datetime-local" label="Expires" {...fields.text('expires_at', problem)} />
      </SimpleGrid>
      <ExpiryPresets onPick={(expires_at) => fields.set({ expires_at })} />
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <FilingInputs text={fields.text} problem={problem} />
      </SimpleGrid>
      <Input.Wrapper label="Permissions" labelElement="div">
        <PermissionPicker
          value={permissions}
          onChange={setPermissions}
          error={fieldProblem(problem, 'permissions')}
        />
      </Input.Wrapper>
    </>
  );
}
