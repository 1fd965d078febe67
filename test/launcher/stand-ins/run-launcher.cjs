// The launcher as built, with stand-ins for the processes it runs.
const { join } = require('node:path');
const { loadConfig } = require('../../../dist/libs/config/app-config.js');
const { Launcher } = require('../../../dist/src/launcher/launcher.js');

async function main() {
  try {
    await new Launcher(loadConfig(), join(__dirname, 'children.cjs')).run();
    process.exit(0);
  } catch (error) {
    process.stderr.write(`greenroom: ${error.message}\n`);
    process.exit(1);
  }
}

void main();
