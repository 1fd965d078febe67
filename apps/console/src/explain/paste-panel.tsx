import { withoutSecrets } from '@app/domain/keys/secret-text';
import { Button, Stack, Textarea } from '@mantine/core';
import { useState } from 'react';
import { Panel } from '../components/page';
import { pressedKey } from '../components/pressed-key';
import { submitting } from '../session/sign-in-steps';
import { readRequest, toSearch } from './read-request';

/** Reads a request from what the customer has sent. */
export function PastePanel({ onRead }: { onRead: (search: Record<string, string>) => void }) {
  const [text, setText] = useState('');
  const read = () => {
    onRead(toSearch(readRequest(text)));
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
            autosize
            minRows={1}
            maxRows={8}
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
