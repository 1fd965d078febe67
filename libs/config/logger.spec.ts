import { loadConfig } from './app-config';
import { createLogger } from './logger';

/** What a logger writes to a standard output that is no terminal, as under a service manager. */
function written(format: string, message: string): string {
  const lines: string[] = [];
  const write = jest
    .spyOn(process.stdout, 'write')
    .mockImplementation((text) => lines.push(String(text)) > 0);
  try {
    createLogger(loadConfig({ LOG_FORMAT: format }), 'api').log(message, 'Api');
  } finally {
    write.mockRestore();
  }
  return lines.join('');
}

it('text for a file has neither colours nor times of one country', () => {
  expect(written('text', 'Listening')).toMatch(
    /^\[api\] \d+ {2}- \d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z +LOG \[Api\] Listening\n$/,
  );
});

it('JSON has a line each', () => {
  expect(JSON.parse(written('json', 'Listening'))).toMatchObject({ level: 'log', message: 'Listening' });
});
