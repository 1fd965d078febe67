import { renderLogLine } from './log-line';

const plain = { paint: (_: number, text: string) => text };
const at = new Date(2026, 0, 2, 3, 4, 5).getTime();
const render = (record: object) =>
  renderLogLine(JSON.stringify({ pid: 1, timestamp: at, level: 'log', message: 'Hello', ...record }), plain);

describe('renderLogLine', () => {
  it.each([
    ['a message', {}, ['03:04:05 info  Hello']],
    ['its context', { context: 'Api' }, ['03:04:05 info  Api: Hello']],
    ['its fields', { params: { ms: 3, name: 'a b' } }, ['03:04:05 info  Hello ms=3 name="a b"']],
    ['no empty fields', { params: { keyId: null } }, ['03:04:05 info  Hello']],
    ['a message that is an object', { message: { a: 1 } }, ['03:04:05 info  {"a":1}']],
    ['a stack', { level: 'error', stack: 'E: x\n    at y' }, ['03:04:05 error Hello', '  E: x', '  at y']],
    ['nothing of how the framework starts', { context: 'RouterExplorer' }, []],
    [
      'what the framework warns of',
      { context: 'NestFactory', level: 'warn' },
      ['03:04:05 warn  NestFactory: Hello'],
    ],
  ])('shows %s', (_, record, lines) => {
    expect(render(record)).toEqual(lines);
  });

  it.each(['plain text', '{"half": ', '{"level":"log"}', ''])('leaves %j as it is', (line) => {
    expect(renderLogLine(line, plain)).toEqual([line]);
  });
});
