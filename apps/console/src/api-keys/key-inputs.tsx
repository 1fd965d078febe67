import type { Permission } from '@app/domain/keys/permissions';
import { Input, SimpleGrid, TextInput } from '@mantine/core';
import { useState } from 'react';
import { fieldProblem } from '../api/problem';
import type { Schema } from '../api/client';
import { FILING_FIELDS, FilingInputs, toExternalId, toTags } from '../components/filing';
import { fromLocalInput, toLocalInput } from '../components/local-time';
import { changedFields } from '../components/changed-fields';
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

type Permissions = Permission[] | 'all';

/** The settings of a key, new or present; `changed` is what the form has changed of a present one. */
export function useKeyFields(key?: Schema['ApiKeyResponse']) {
  const [filled] = useState(() => valuesOf(key));
  const fields = useFields(filled);
  const [filledPermissions] = useState<Permissions>((key?.permissions as Permissions | undefined) ?? []);
  const [permissions, setPermissions] = useState(filledPermissions);
  const body = toBody(fields.values, permissions);
  const changed = changedFields(toBody(filled, filledPermissions), body);
  return { fields, permissions, setPermissions, body, changed };
}

function valuesOf(key?: Schema['ApiKeyResponse']) {
  const text = (value: number | null | undefined) =>
    value === null || value === undefined ? '' : String(value);
  return {
    name: key?.name ?? '',
    credit_limit: text(key?.credits.limit),
    requests_per_minute: text(key?.requests_per_minute),
    expires_at: toLocalInput(key?.expires_at ?? null),
    tags: (key?.tags ?? []).join(' '),
    external_id: key?.external_id ?? '',
  };
}

function toBody(values: ReturnType<typeof valuesOf>, permissions: Permissions) {
  return {
    name: values.name,
    permissions,
    credit_limit: toNumber(values.credit_limit),
    requests_per_minute: toNumber(values.requests_per_minute),
    tags: toTags(values.tags),
    external_id: toExternalId(values.external_id),
    expires_at: fromLocalInput(values.expires_at),
  };
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
