import { Group } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { read } from '../api/client';
import { CopyableId } from './inline';
import type { Filter } from './list-filters';

/** Typed tags, with spaces or commas between them, as the api takes them. */
export const toTags = (text: string): string[] =>
  [...new Set(text.toLowerCase().split(/[\s,]+/))].filter((tag) => tag !== '');

export const toExternalId = (text: string): string | null => (text.trim() === '' ? null : text.trim());

export const TAGS_HINT = 'With spaces or commas between them: a-z, 0-9, - _ . :';

export function Tags({ tags, to }: { tags: readonly string[]; to: '/api-keys' | '/accounts' | '/voices' }) {
  if (tags.length === 0) return null;
  return (
    <Group gap={4} component="span">
      {tags.map((tag) => (
        <Link key={tag} to={to} search={{ tag } as never}>
          <span className="gr-tag">{tag}</span>
        </Link>
      ))}
    </Group>
  );
}

/** What another system calls it, to copy. */
export const ExternalId = ({ id }: { id: string | null }) =>
  id === null ? 'none' : <CopyableId id={id} what="the external id" />;

export const TAG_FILTER: Filter = { name: 'tag', label: 'Tag', kind: 'text', placeholder: 'A tag' };

export const LABEL_FILTERS: readonly Filter[] = [
  TAG_FILTER,
  { name: 'external_id', label: 'External id', kind: 'text', placeholder: 'The whole id' },
  { name: 'contact', label: 'Contact', kind: 'text', placeholder: 'A part of a name or address' },
];

export const managersQuery = read(['account-managers'], '/admin/account-managers');

export const MANAGER_FILTER: Filter = {
  name: 'manager',
  label: 'Account manager',
  kind: 'manager',
  choices: { me: 'My accounts', none: 'None yet' },
};
