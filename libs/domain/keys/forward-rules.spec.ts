import { checkForwardRules, findForwardRule, type ForwardRule } from './forward-rules';

const rule = (match: string): ForwardRule => ({ match, scope: null, cost: null });
const RULES = [
  '/*',
  '/v1/*',
  '/v1/speech',
  'POST /v1/speech',
  'api.example.com/*',
  'DELETE api.example.com/*',
].map(rule);

it.each([
  ['GET', null, '/', '/*'],
  ['GET', null, '/v2', '/*'],
  ['GET', null, '/v1/voices', '/v1/*'],
  ['GET', null, '/v1/speech/more', '/v1/*'],
  ['GET', null, '/v1/speech', '/v1/speech'],
  ['GET', null, '/v1/speech/', '/v1/speech'],
  ['POST', null, '/v1/speech', 'POST /v1/speech'],
  ['POST', 'other.example.com', '/v1/speech', 'POST /v1/speech'],
  ['POST', 'api.example.com', '/v1/speech', 'api.example.com/*'],
  ['DELETE', 'api.example.com', '/v1/speech', 'DELETE api.example.com/*'],
])('%s %s %s falls under %s, in whatever order the rules stand', (method, host, path, match) => {
  for (const rules of [RULES, RULES.toReversed()])
    expect(findForwardRule(rules, { method, host, path })?.match).toBe(match);
});

it('admits nothing that no rule covers', () => {
  expect(findForwardRule([], { method: 'GET', host: null, path: '/' })).toBeNull();
  const rules = [rule('POST /v1/speech'), rule('api.example.com/*')];
  expect(findForwardRule(rules, { method: 'GET', host: null, path: '/v1/speech' })).toBeNull();
});

it.each([
  'v1',
  'get /v1',
  '/v1?a',
  '/v1/*/x',
  '/v1/../x',
  '/v1//x',
  '/v1/..',
  'API.example.com/v1',
  '/a%20b',
  '/a;b',
  'GET  /a',
])('refuses the match %j', (match) => {
  expect(checkForwardRules([rule(match)])).toEqual([
    expect.objectContaining({ type: 'string_pattern_mismatch', path: [0, 'match'] }),
  ]);
});

it('refuses by name what is not accepted, and what stands there twice', () => {
  const wrong = { match: '/a', scope: 'everything', cost: -1, extra: 1 };
  expect(checkForwardRules([wrong]).map(({ path }) => path)).toEqual([
    [0, 'scope'],
    [0, 'cost'],
    [0, 'extra'],
  ]);
  expect(checkForwardRules([rule('/a'), rule('/b'), rule('/a')])).toEqual([
    expect.objectContaining({ path: [2, 'match'] }),
  ]);
  expect(checkForwardRules(RULES)).toEqual([]);
});
