import { randomUUID } from 'node:crypto';
import type { SavedViewResponse } from '../../apps/api/src/saved-views/saved-view.dto';
import type { Problem } from '../../apps/api/src/http/problem-json';
import { Stack } from '../support/stack';
import { StaffClient } from '../support/staff-client';

let stack: Stack;
let person: StaffClient;

beforeAll(async () => {
  stack = await Stack.start({ worker: false });
});

beforeEach(async () => {
  person = await StaffClient.signedIn(stack, 'support');
});

afterAll(async () => {
  await stack.stop();
});

const VIEW = { screen: 'api-keys', name: 'Near their limit', query: 'min_credits_percent=80' };

async function viewsOf(client: StaffClient, query = ''): Promise<SavedViewResponse[]> {
  const { body } = await client.get(`/admin/saved-views${query}`);
  return body.items as SavedViewResponse[];
}

it('a person saves a view, changes it by its name, and deletes it', async () => {
  await person.post('/admin/saved-views', VIEW);
  await person.post('/admin/saved-views', { ...VIEW, query: 'min_credits_percent=90' });
  await person.post('/admin/saved-views', { ...VIEW, screen: 'voices', query: 'status=failed' });
  const [view, ...others] = await viewsOf(person, '?screen=api-keys');
  expect([view, others]).toMatchObject([{ ...VIEW, query: 'min_credits_percent=90' }, []]);
  expect((await person.send('DELETE', `/admin/saved-views/${view!.id}`)).status).toBe(200);
  expect(await viewsOf(person)).toMatchObject([{ screen: 'voices' }]);
});

it('a person sees and deletes no views of others', async () => {
  const { body } = await person.post('/admin/saved-views', VIEW);
  const other = await StaffClient.signedIn(stack, 'support');
  expect(await viewsOf(other)).toEqual([]);
  for (const id of [String(body.id), randomUUID(), 'nonsense']) {
    const refused = await other.send('DELETE', `/admin/saved-views/${id}`);
    expect([refused.status, (refused.body as unknown as Problem).code]).toEqual([
      404,
      'saved_view_not_found',
    ]);
  }
  expect(await viewsOf(person)).toHaveLength(1);
});

it('409 for a view too many of one list; one that is there can still be changed', async () => {
  for (let number = 1; number <= 30; number += 1)
    await person.post('/admin/saved-views', { ...VIEW, name: `View ${number}` });
  const refused = await person.post('/admin/saved-views', { ...VIEW, name: 'View 31' });
  expect([refused.status, (refused.body as unknown as Problem).code]).toEqual([
    409,
    'saved_view_limit_reached',
  ]);
  expect((await person.post('/admin/saved-views', { ...VIEW, name: 'View 30' })).status).toBe(200);
  expect((await person.post('/admin/saved-views', { ...VIEW, screen: 'voices' })).status).toBe(200);
});

it('422 for a screen that does not exist', async () => {
  expect((await person.post('/admin/saved-views', { ...VIEW, screen: 'nothing' })).status).toBe(422);
});
