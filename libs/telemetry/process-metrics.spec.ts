import { mergeMetrics } from './process-metrics';

it('describes each metric once, with the values of all processes together', () => {
  const text = (label: string) =>
    `# HELP a How many.\n# TYPE a counter\na{${label}} 1\n\n# HELP b How much.\n# TYPE b gauge\nb{${label}} 2\n`;
  expect(mergeMetrics([text('process="1"'), '', text('process="2"')])).toBe(
    [
      '# HELP a How many.\n# TYPE a counter\na{process="1"} 1\na{process="2"} 1\n',
      '# HELP b How much.\n# TYPE b gauge\nb{process="1"} 2\nb{process="2"} 2\n',
    ].join('\n'),
  );
});
