// The built worker, in a process of its own. With an argument, its sweeper waits only that many seconds.
const { createWorker } = require('../../dist/apps/worker/src/main.js');
const { SweepLimits } = require('../../dist/apps/worker/src/review/review-sweeper.js');
const { loadConfig } = require('../../dist/libs/config/app-config.js');

void createWorker(loadConfig()).then((worker) => {
  if (process.argv[2]) worker.get(SweepLimits).idleSecs = Number(process.argv[2]);
  console.log('Ready for jobs');
});
