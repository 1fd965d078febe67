import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Fragment } from 'react';
import { read, type Schema } from '../api/client';
import { Name } from './inline';

const SHORTEST = 4;

/** Beneath a list in which nothing has the name that was typed: what has nearly that name. */
export function NearestNames(props: {
  kind: Extract<Schema['SearchHitResponse']['kind'], 'account' | 'key' | 'voice'>;
  typed?: string;
}) {
  const { kind, typed = '' } = props;
  const q = typed.trim();
  const query = { ...read(['search', q], '/admin/search', { q }), enabled: q.length >= SHORTEST };
  const { data } = useQuery(query);
  const nearest = data?.nearest ? data.items.filter((item) => item.kind === kind) : [];
  if (nearest.length === 0) return null;
  const path = { account: '/accounts', key: '/api-keys', voice: '/voices' }[kind];
  return (
    <p>
      Nothing is called <Name>{`“${q}”`}</Name>. Did you mean{' '}
      {nearest.map(({ id, name }, place) => (
        <Fragment key={id}>
          {place > 0 && (place === nearest.length - 1 ? ' or ' : ', ')}
          <Link to={`${path}/${id}` as never}>
            <Name>{name}</Name>
          </Link>
        </Fragment>
      ))}
      ?
    </p>
  );
}
