import { isOverload } from './store-overload';

const withCode = (code: string, message = 'a message') => Object.assign(new Error(message), { code });

it.each([
  new Error('timeout exceeded when trying to connect'),
  new Error('Query read timeout'),
  withCode('57014', 'canceling statement due to statement timeout'),
  withCode('55P03'),
  withCode('40P01'),
])('a store that does not get to it in time is overloaded: %s', (error) => {
  expect(isOverload(error)).toBe(true);
});

it.each([
  withCode('ECONNREFUSED'),
  withCode('ECONNRESET'),
  withCode('57P03', 'the database system is starting up'),
  withCode('42883', 'function take_requests does not exist'),
  new Error('Connection terminated unexpectedly'),
  new Error('timeout expired'),
  new Error("Stream isn't writeable and enableOfflineQueue options is false"),
  new Error('OOM command not allowed when used memory > maxmemory'),
])('a store that refuses is down: %s', (error) => {
  expect(isOverload(error)).toBe(false);
});
