import { Choice } from './fields';
import { useQuery } from '@tanstack/react-query';
import { read } from '../api/client';
import { describeValue, named, type Filter } from './list-filters';
import { plainName } from './inline';

type ManagerFilter = Extract<Filter, { kind: 'manager' }>;

export const managersQuery = read(['account-managers'], '/admin/account-managers');

export function ManagerField(props: {
  filter: ManagerFilter;
  value: string | undefined;
  onPick: (value: string | undefined) => void;
}) {
  const { filter, value, onPick } = props;
  const managers = useQuery(managersQuery).data?.items ?? [];
  const people = managers.map(({ id, name, email }) => ({
    value: id,
    label: `${plainName(name)} (${email})`,
  }));
  return (
    <Choice
      label={filter.label}
      data-autofocus
      value={value ?? ''}
      data={[{ value: '', label: 'Any' }, ...named(filter.choices), ...people]}
      onPick={(value) => onPick(value || undefined)}
    />
  );
}

export function ManagerLabel({ filter, value }: { filter: ManagerFilter; value: string }) {
  const managers = useQuery(managersQuery).data?.items;
  const manager = managers?.find(({ id }) => id === value);
  return manager ? plainName(manager.name) : describeValue(filter, value);
}
