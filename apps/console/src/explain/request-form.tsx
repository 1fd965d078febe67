import { withoutSecrets } from '@app/domain/keys/secret-text';
import { Button, Group, NativeSelect, Stack, TextInput, Textarea } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { CopyButton } from '../components/inline';
import { Panel } from '../components/page';
import { pressedKey } from '../components/pressed-key';
import { ProblemBanner } from '../components/banner';
import { submitting, useFields } from '../components/fields';
import { METHODS, readRequest, type RequestDescription } from './read-request';

const FIELDS = ['address', 'method', 'path', 'cost', 'secret_number', 'old_secret'] as const;
export type RequestFields = Record<(typeof FIELDS)[number], string>;

const EMPTY = { address: '', cost: '', secret_number: '', old_secret: '' };
const BEGINNINGS = {
  key: { ...EMPTY, method: 'POST', path: '/v1/text-to-voice' },
  program: { ...EMPTY, method: 'GET', path: '/admin/accounts' },
};

export function RequestForm(props: {
  of: keyof typeof BEGINNINGS;
  fields: Partial<RequestFields>;
  explanation: UseQueryResult;
  onExplain: (request: Partial<RequestFields>) => void;
}) {
  const { of, fields: input, explanation, onExplain } = props;
  const fields = useFields<RequestFields>({ ...BEGINNINGS[of], ...input });
  useEffect(() => {
    fields.set(input);
  }, [JSON.stringify(input)]);
  const { error } = explanation;
  const explain = () => {
    const request = Object.entries(fields.values).filter(([, value]) => value !== '');
    if (request.every(([name, value]) => input[name as keyof RequestFields] === value))
      void explanation.refetch();
    onExplain(Object.fromEntries(request));
  };
  return (
    <Panel>
      <form onSubmit={submitting(explain)}>
        <Stack align="flex-start">
          <div className="gr-choices" style={{ width: '100%' }}>
            <TextInput
              label="Address of the client"
              placeholder="203.0.113.10"
              required
              {...fields.text('address', error)}
            />
            <NativeSelect label="Method" data={METHODS} {...fields.text('method', error)} />
            <TextInput label="Path" required {...fields.text('path', error)} />
            {of === 'program' ? (
              <NativeSelect
                label="Secret"
                data={[
                  { value: '', label: 'The newest' },
                  { value: 'yes', label: 'The one before' },
                ]}
                {...fields.text('old_secret', error)}
              />
            ) : (
              <>
                <TextInput
                  label="Credits it costs"
                  placeholder="0"
                  inputMode="numeric"
                  {...fields.text('cost', error)}
                />
                <TextInput
                  label="Secret, by its number"
                  placeholder="The newest"
                  inputMode="numeric"
                  {...fields.text('secret_number', error)}
                />
              </>
            )}
          </div>
          <ProblemBanner error={error} fields={[...FIELDS]} />
          <Group>
            <Button type="submit" loading={explanation.isFetching}>
              Explain
            </Button>
            {explanation.data !== undefined && <CopyButton value={location.href} what="a link to this" />}
          </Group>
        </Stack>
      </form>
    </Panel>
  );
}

export function PastePanel({ onRead }: { onRead: (request: RequestDescription) => void }) {
  const [text, setText] = useState('');
  const read = () => {
    onRead(readRequest(text));
    setText(withoutSecrets(text));
  };
  return (
    <Panel>
      <form onSubmit={submitting(read)}>
        <Stack align="flex-start" gap="xs">
          <Textarea
            w="100%"
            label="Paste the request"
            description="A curl command, a URL, a request id, or the key or management credential: its name or its last four. Of a whole secret, only the last four characters leave this browser."
            spellCheck={false}
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
            onKeyDown={(event) => {
              if (pressedKey(event.nativeEvent) !== 'Enter' || event.shiftKey || text.trim() === '') return;
              event.preventDefault();
              read();
            }}
          />
          <Button type="submit" variant="default" disabled={text.trim() === ''}>
            Read it
          </Button>
        </Stack>
      </form>
    </Panel>
  );
}
