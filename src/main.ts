#!/usr/bin/env node
import './launcher/node-gate';
import { runCommandLine } from './cli/command-line';
import { dropPostgresVariables } from '../libs/config/app-config';

dropPostgresVariables();
void runCommandLine(process.argv);
