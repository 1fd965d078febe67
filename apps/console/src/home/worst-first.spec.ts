import { worstFirst } from './worst-first';

it('an outage comes before what is bad now, and that before what will be', () => {
  const items = [
    { text: 'a key expires', isEarly: true },
    { text: 'a dead letter' },
    { text: 'no worker', isOutage: true },
    { text: 'an approval' },
  ];
  expect(worstFirst(items).map(({ text }) => text)).toEqual([
    'no worker',
    'a dead letter',
    'an approval',
    'a key expires',
  ]);
});
