#!/usr/bin/env node
import { runCommand } from './cli.js';
import { readEnvironment } from './environment.js';
import { openProcessTerminal } from './processTerminal.js';

process.exitCode = await runCommand(process.argv.slice(2), openProcessTerminal(), readEnvironment());
