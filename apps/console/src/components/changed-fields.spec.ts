import { changedFields } from './changed-fields';

describe('changedFields', () => {
  const filled = { name: 'a', limit: null as number | null, tags: ['x', 'y'], quiet: { from: null } };

  it('is nothing for an untouched form, whatever the order of its lists', () => {
    expect(changedFields(filled, { ...filled, tags: ['y', 'x'], quiet: { from: null } })).toEqual({});
  });

  it('is what differs, a value that was emptied included', () => {
    expect(changedFields({ ...filled, limit: 5 }, { ...filled, limit: null, tags: [] })).toEqual({
      limit: null,
      tags: [],
    });
  });
});
