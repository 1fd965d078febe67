import { isOverload } from './store-overload';

const withCode = (code: string, message = 'a message') => Object.assign(new Error(message), { code });
/** As of a database with several servers. */
const noServer = (...errors: Error[]) =>
  Object.assign(new Error('No server can be used.', { cause: new AggregateError(errors) }), {
    code: '57P03',
  });
const refused = new Error('10.0.0.2:5432: refused', { cause: withCode('ECONNREFUSED') });

it.each([
  new Error('timeout exceeded when trying to connect'),
  new Error('Query read timeout'),
  new Error('timeout expired'),
  new Error('Connection terminated due to connection timeout'),
  noServer(new Error('10.0.0.1:5432: timeout expired', { cause: new Error('timeout expired') }), refused),
  withCode('57014', 'canceling statement due to statement timeout'),
  withCode('55P03'),
  withCode('40P01'),
  withCode('53300', 'sorry, too many clients already'),
])('a store that does not get to it in time is overloaded: %s', (error) => {
  expect(isOverload(error)).toBe(true);
});

it.each([
  withCode('ECONNREFUSED'),
  noServer(refused),
  withCode('ECONNRESET'),
  withCode('57P03', 'the database system is starting up'),
  withCode('42883', 'function take_requests does not exist'),
  new Error('Connection terminated unexpectedly'),
  new Error("Stream isn't writeable and enableOfflineQueue options is false"),
  new Error('OOM command not allowed when used memory > maxmemory'),
])('a store that refuses is down: %s', (error) => {
  expect(isOverload(error)).toBe(false);
});
