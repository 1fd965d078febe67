import { Select } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, read } from '../api/client';
import { toProblem } from '../api/problem';
import { plainName } from './inline';

const PAUSE_MS = 200;

export function AccountField({ onPick }: { onPick: (id: string) => void }) {
  const [text, setText] = useState('');
  const [search] = useDebouncedValue(text.trim().slice(0, 100), PAUSE_MS);
  const found = useQuery({
    queryKey: ['accounts', 'pick', search],
    queryFn: () => {
      const query = { limit: '20', sort: 'name', ...(search !== '' && { search }) };
      return api.GET('/admin/accounts', query as never);
    },
    placeholderData: keepPreviousData,
  });
  return (
    <Select
      label="Account"
      placeholder="A part of its name"
      data-autofocus
      searchable
      searchValue={text}
      onSearchChange={setText}
      filter={({ options }) => options}
      data={(found.data?.items ?? []).map(({ id, name }) => ({ value: id, label: plainName(name) }))}
      nothingFoundMessage={
        found.isFetching
          ? 'Searching…'
          : found.isError
            ? 'The accounts cannot be searched right now.'
            : 'No account has this in its name.'
      }
      error={found.error && toProblem(found.error).message}
      comboboxProps={{ withinPortal: false }}
      onChange={(id) => id !== null && onPick(id)}
    />
  );
}

export function AccountLabel({ id }: { id: string }) {
  const account = useQuery({ ...read(['account', id], '/admin/accounts/{account_id}', id), retry: false });
  return account.data ? plainName(account.data.name) : id;
}
