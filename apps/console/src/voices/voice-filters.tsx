import { REASON_CODES } from '@app/domain/reviews/recording-reasons';
import { RECORDING_GRADES, REVIEW_STATES } from '@app/domain/reviews/review-state';
import { Button, Group, NativeSelect, SimpleGrid, TextInput } from '@mantine/core';
import { filtersOf, type useListSearch } from '../components/list-search';
import { words } from '../components/number';
import { SearchField } from '../components/search-field';

const named = (names: readonly string[]) => names.map((value) => ({ value, label: words(value) }));

/** What the list of voices is narrowed to. */
export function VoiceFilters({
  list: { search, filter, clear },
}: {
  list: ReturnType<typeof useListSearch>;
}) {
  const field = (name: string) => ({
    value: search[name] ?? '',
    onChange: (event: { currentTarget: { value: string } }) => filter({ [name]: event.currentTarget.value }),
  });
  return (
    <>
      <SimpleGrid cols={{ base: 1, xs: 2, md: 4 }}>
        <SearchField label="Name or id" value={search.search} onSearch={(text) => filter({ search: text })} />
        <SearchField
          label="Account"
          placeholder="Its id"
          value={search.account_id}
          onSearch={(text) => filter({ account_id: text })}
        />
        <NativeSelect
          label="Status"
          {...field('status')}
          data={[{ value: '', label: 'Every status' }, ...named(REVIEW_STATES)]}
        />
        <NativeSelect
          label="Grade"
          {...field('grade')}
          data={[{ value: '', label: 'Every grade' }, ...named(RECORDING_GRADES)]}
        />
        <NativeSelect
          label="Reason"
          {...field('reason_code')}
          data={[
            { value: '', label: 'Any reason' },
            ...named(REASON_CODES),
            { value: 'manual', label: 'graded by a person' },
            { value: 'within_targets', label: 'within targets' },
          ]}
        />
        <TextInput type="date" label="Created since" {...field('created_since')} />
        <TextInput type="date" label="Created before" {...field('created_before')} />
      </SimpleGrid>
      {Object.keys(filtersOf(search)).length > 0 && (
        <Group>
          <Button size="compact-sm" variant="subtle" onClick={clear}>
            Clear the filters
          </Button>
        </Group>
      )}
    </>
  );
}
