import { DISABLE_REASONS } from '@app/domain/keys/disable-reasons';
import { KEY_STATUSES } from '@app/domain/keys/key-status';
import { PERMISSION_GROUPS } from '@app/domain/keys/permissions';
import { Button, Group, NativeSelect, SimpleGrid, TextInput } from '@mantine/core';
import { filtersOf, type useListSearch } from '../components/list-search';
import { words } from '../components/number';
import { SearchField } from '../components/search-field';

const named = (names: readonly string[]) => names.map((value) => ({ value, label: words(value) }));

/** What the list of keys is narrowed to. */
export function KeyFilters({ list: { search, filter, clear } }: { list: ReturnType<typeof useListSearch> }) {
  const select = (name: string) => ({
    value: search[name] ?? '',
    onChange: (event: { currentTarget: { value: string } }) => filter({ [name]: event.currentTarget.value }),
  });
  return (
    <>
      <SimpleGrid className="gr-filters" cols={{ base: 2, md: 4 }} spacing="sm">
        <SearchField label="Name or id" value={search.search} onSearch={(text) => filter({ search: text })} />
        <SearchField
          label="Ends in"
          placeholder="Last four"
          value={search.hint}
          onSearch={(text) => filter({ hint: text })}
        />
        <NativeSelect
          label="Status"
          {...select('status')}
          data={[{ value: '', label: 'Every status' }, ...named(KEY_STATUSES)]}
        />
        <NativeSelect
          label="Disabled because"
          {...select('disable_reason')}
          data={[{ value: '', label: 'Any reason' }, ...named(DISABLE_REASONS)]}
        />
        <NativeSelect
          label="May do"
          {...select('permission')}
          data={[
            { value: '', label: 'Anything' },
            ...PERMISSION_GROUPS.map(({ title, permissions }) => ({ group: title, items: [...permissions] })),
          ]}
        />
        <NativeSelect
          label="Allow-list"
          {...select('has_allow_list')}
          data={[
            { value: '', label: 'Any or none' },
            { value: 'true', label: 'With' },
            { value: 'false', label: 'Without' },
          ]}
        />
        <TextInput type="date" label="Not used since" {...select('unused_since')} />
        <TextInput type="date" label="Refused by the list since" {...select('list_refused_since')} />
        <TextInput type="date" label="Expiring before" {...select('expiring_before')} />
      </SimpleGrid>
      {Object.keys(filtersOf(search)).length > 0 && (
        <Group gap="sm">
          {search.account_id && <span className="gr-dimmed">Only keys of one account.</span>}
          <Button size="compact-sm" variant="subtle" onClick={clear}>
            Clear the filters
          </Button>
        </Group>
      )}
    </>
  );
}
