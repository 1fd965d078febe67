import {
  EDITED_FIELDS,
  KEY_FIELDS,
  keyField,
  type EditedField,
  type KeyFieldKind,
  type WireKeySettings,
} from '@app/domain/keys/key-fields';
import type { Permission } from '@app/domain/keys/permissions';
import { Input, SimpleGrid } from '@mantine/core';
import { useState } from 'react';
import { fieldProblem } from '../api/problem';
import type { Schema } from '../api/client';
import { ExpiryPresets, fromLocalInput, toLocalInput, useFields } from '../components/fields';
import { changedFields } from '../components/changed-fields';
import { capitalised } from '../components/number';
import {
  listText,
  plainText,
  SETTING_FORMS,
  SettingInput,
  type SettingForm,
} from '../components/setting-input';
import { settingsOf, settingText } from './key-change';
import { PermissionPicker } from './permission-picker';

export const KEY_INPUTS: string[] = EDITED_FIELDS;

type Permissions = Permission[] | 'all';
/** A setting that is typed or chosen in a field; permissions are picked. */
type TypedField = Exclude<EditedField, 'permissions'>;
type TypedKind = Exclude<KeyFieldKind, 'permissions' | 'addresses'>;
type Settings = Omit<WireKeySettings, 'allowed_ips' | 'permissions'> & { permissions: Permissions };

const TYPED = EDITED_FIELDS.filter((name) => name !== 'permissions');
const ofKinds = (...kinds: TypedKind[]) => TYPED.filter((name) => kinds.includes(KEY_FIELDS[name].kind));

const toIds = (text: string) => (text.trim() === '' ? null : [...new Set(text.trim().split(/[\s,]+/))]);
const FORMS: Record<TypedKind, SettingForm> = {
  ...SETTING_FORMS,
  models: [listText, toIds],
  voices: [listText, toIds],
  time: [toLocalInput, fromLocalInput],
  flag: [plainText, (text) => (text === '' ? null : text === 'true')],
};

/** The settings of a key, new or present; `changed` is what the form has changed of a present one. */
export function useKeyFields(key?: Schema['ApiKeyDetailResponse'], begin?: string) {
  const [filled] = useState(() => valuesOf(key));
  const fields = useFields(filled, begin);
  const [filledPermissions] = useState<Permissions>((key?.permissions as Permissions | undefined) ?? []);
  const [permissions, setPermissions] = useState(filledPermissions);
  const body = toBody(fields.values, permissions);
  const changed = changedFields(toBody(filled, filledPermissions), body);
  return { fields, begin, permissions, setPermissions, body, changed };
}

function valuesOf(key?: Schema['ApiKeyDetailResponse']) {
  const settings = key && settingsOf(key);
  const shown = TYPED.map((name) => [
    name,
    settings ? FORMS[KEY_FIELDS[name].kind][0](settings[name] as never) : '',
  ]);
  return Object.fromEntries(shown) as Record<TypedField, string>;
}

function toBody(values: Record<TypedField, string>, permissions: Permissions): Settings {
  const read = TYPED.map((name) => [name, FORMS[KEY_FIELDS[name].kind][1](values[name])]);
  return { ...(Object.fromEntries(read) as Settings), permissions };
}

export function KeyInputs(props: { settings: ReturnType<typeof useKeyFields>; problem: unknown }) {
  const { fields, begin, permissions, setPermissions } = props.settings;
  const { problem } = props;
  const inputs = (names: TypedField[]) =>
    names.map((name) => (
      <SettingInput
        key={name}
        name={name}
        field={keyField(name)}
        none={capitalised(settingText(name, null))}
        fields={fields}
        problem={problem}
      />
    ));
  return (
    <>
      {inputs(ofKinds('name'))}
      <SimpleGrid cols={{ base: 1, sm: 3 }}>{inputs(ofKinds('count', 'time'))}</SimpleGrid>
      <ExpiryPresets onPick={(expires_at) => fields.set({ expires_at })} />
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        {inputs(ofKinds('models', 'voices', 'tags', 'text', 'flag'))}
      </SimpleGrid>
      <Input.Wrapper label="Permissions" labelElement="div">
        <PermissionPicker
          value={permissions}
          onChange={setPermissions}
          begins={begin === 'permissions'}
          error={fieldProblem(problem, 'permissions')}
        />
      </Input.Wrapper>
    </>
  );
}
