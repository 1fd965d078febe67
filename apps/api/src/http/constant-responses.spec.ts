import { fastify } from 'fastify';
import { constantResponse, writeConstantResponsesOnce } from './constant-responses';

let written = 0;
const TEXT = '[{"name":"é"}]';
const CONSTANT = constantResponse([{ toJSON: () => ((written += 1), { name: 'é' }) }]);

it('a constant response is written once, others each time', async () => {
  const server = fastify();
  writeConstantResponsesOnce(server);
  let requested = 0;
  server.get('/constant', () => CONSTANT);
  server.get('/other', () => ({ requested: (requested += 1) }));
  const url = await server.listen({ host: '127.0.0.1', port: 0 });
  try {
    for (let i = 1; i <= 3; i += 1) {
      const response = await fetch(`${url}/constant`);
      expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
      expect(await response.text()).toBe(TEXT);
      expect(await (await fetch(`${url}/other`)).json()).toEqual({ requested: i });
    }
    expect(written).toBe(1);
  } finally {
    await server.close();
  }
});

it('a constant response is frozen', () => {
  expect(Object.isFrozen(CONSTANT)).toBe(true);
});
