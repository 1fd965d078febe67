import { checkTroubles } from './check-troubles';

const row = (name: string, status: 'ok' | 'warning' | 'failed' | 'skipped') => ({
  name,
  status,
  detail: `What ${name} says.`,
});

it('what is not healthy is on Home, and neither what is skipped nor what the queues say', () => {
  expect(
    checkTroubles([
      row('database', 'ok'),
      row('disk', 'failed'),
      row('space', 'skipped'),
      row('workers', 'failed'),
      row('backup', 'warning'),
    ]),
  ).toEqual([
    { text: 'The check “disk” fails', isEarly: false, detail: 'What disk says.', to: '/queues' },
    { text: 'The check “backup” needs attention', isEarly: true, detail: 'What backup says.', to: '/queues' },
  ]);
});
