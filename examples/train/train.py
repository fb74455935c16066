#!/usr/bin/env python3
"""A small real trainer: a two-layer network learns handwritten digits, and survives being killed.

What it shows of a training workload:
  - a checkpoint every few steps in ckpt/step-NNNNNN/ (weights.npz, state.json, and last of all the marker DONE: a folder without it is torn and counts for nothing);
  - it resumes from the folder named by FAIRLEAD_CHECKPOINT, and ends with the same bytes as a run that was never interrupted;
  - SIGUSR1: write a checkpoint now and go on. SIGTERM: write one, then end by that signal;
  - the result: out/model/ (weights.npz, model.json) and out/metrics.json.
Data: digits.txt beside this file. Exit codes: 0 trained, 2 wrong arguments, 65 a checkpoint or the data cannot be read.
"""
import argparse
import json
import os
import shutil
import signal
import sys
import time
import zipfile
from pathlib import Path

import numpy as np

PIXELS, HIDDEN, CLASSES, INK = 64, 32, 10, 16
TRAINED_ON = 1500  # images; the rest of the file is held out for the metrics
BATCH, RATE, MOMENTUM = 64, 0.1, 0.9
MARKER = "DONE"
WEIGHTS = ("w1", "b1", "w2", "b2")


def read_digits(path: Path) -> tuple[np.ndarray, np.ndarray]:
    """Images as rows of 64 numbers in 0..1, and their digits."""
    lines = [line.split() for line in path.read_text(encoding="ascii").splitlines() if line and not line.startswith("#")]
    pixels = np.array([[int(character, INK + 1) for character in image] for _, image in lines], dtype=np.float64)
    return pixels / INK, np.array([int(digit) for digit, _ in lines])


def new_weights(seed: int) -> dict[str, np.ndarray]:
    random = np.random.default_rng(seed)
    return {
        "w1": random.normal(0, np.sqrt(2 / PIXELS), (PIXELS, HIDDEN)), "b1": np.zeros(HIDDEN),
        "w2": random.normal(0, np.sqrt(2 / HIDDEN), (HIDDEN, CLASSES)), "b2": np.zeros(CLASSES),
    }


def forward(weights, images):
    """The hidden layer and the probability of each digit, a row an image."""
    hidden = np.maximum(images @ weights["w1"] + weights["b1"], 0)
    scores = hidden @ weights["w2"] + weights["b2"]
    scores = np.exp(scores - scores.max(axis=1, keepdims=True))
    return hidden, scores / scores.sum(axis=1, keepdims=True)


def train_step(weights, velocity, images, digits) -> float:
    """One step of gradient descent with momentum, in place; the loss before it."""
    hidden, probability = forward(weights, images)
    rows = np.arange(len(digits))
    loss = -np.log(probability[rows, digits] + 1e-12).mean()
    error = probability.copy()
    error[rows, digits] -= 1
    error /= len(digits)
    back = (error @ weights["w2"].T) * (hidden > 0)
    gradient = {"w1": images.T @ back, "b1": back.sum(axis=0), "w2": hidden.T @ error, "b2": error.sum(axis=0)}
    for name in WEIGHTS:
        velocity[name] *= MOMENTUM
        velocity[name] -= RATE * gradient[name]
        weights[name] += velocity[name]
    return float(loss)


def measure(weights, images, digits) -> dict[str, float]:
    _, probability = forward(weights, images)
    loss = -np.log(probability[np.arange(len(digits)), digits] + 1e-12).mean()
    return {"loss": round(float(loss), 4), "accuracy": round(float((probability.argmax(axis=1) == digits).mean()), 4)}


def sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def write_durably(path: Path, write) -> None:
    """Calls write(file) on a temporary file, then puts it in place whole: after a crash there is the old file, the new one or none."""
    temporary = path.with_name(path.name + ".tmp")
    with open(temporary, "wb") as file:
        write(file)
        file.flush()
        os.fsync(file.fileno())
    os.replace(temporary, path)
    sync_folder(path.parent)


def write_json(path: Path, value) -> None:
    write_durably(path, lambda file: file.write(json.dumps(value, indent=1).encode() + b"\n"))


def save_checkpoint(root: Path, step: int, seed: int, weights, velocity, keep: int = 3) -> Path:
    folder = root / f"step-{step:06d}"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / MARKER).unlink(missing_ok=True)  # rewritten after a resume: not valid until it is whole again
    arrays = {**weights, **{"v_" + name: value for name, value in velocity.items()}}
    write_durably(folder / "weights.npz", lambda file: np.savez(file, **arrays))
    write_json(folder / "state.json", {"step": step, "seed": seed})
    write_durably(folder / MARKER, lambda file: None)
    sync_folder(root)
    complete = sorted(path for path in root.glob("step-*") if (path / MARKER).exists() and path.name <= folder.name)
    for old in complete[:-keep]:
        (old / MARKER).unlink()
        shutil.rmtree(old)
    return folder


def load_checkpoint(folder: Path):
    """Step, seed, weights and velocity. ValueError, KeyError or OSError when the folder does not hold a whole checkpoint."""
    if not (folder / MARKER).exists():
        raise ValueError(f"no marker {MARKER}: the checkpoint is not complete")
    state = json.loads((folder / "state.json").read_text())
    with np.load(folder / "weights.npz", allow_pickle=False) as stored:
        weights = {name: stored[name] for name in WEIGHTS}
        velocity = {name: stored["v_" + name] for name in WEIGHTS}
    return int(state["step"]), int(state["seed"]), weights, velocity


def save_model(out: Path, weights, metrics, steps: int, seed: int) -> None:
    (out / "model").mkdir(parents=True, exist_ok=True)
    write_durably(out / "model" / "weights.npz", lambda file: np.savez(file, **weights))
    write_json(out / "model" / "model.json", {
        "kind": "digits-mlp", "input": f"{PIXELS} numbers, 0 to {INK}", "inputScale": INK, "classes": list(range(CLASSES)),
        "hidden": HIDDEN, "steps": steps, "seed": seed, "metrics": metrics})
    write_json(out / "metrics.json", metrics)


class Requests:
    """What signals asked for since it was last looked at; acted on between steps, never inside a handler."""

    def __init__(self):
        self.checkpoint = self.stop = False
        signal.signal(signal.SIGUSR1, lambda *_: setattr(self, "checkpoint", True))
        signal.signal(signal.SIGTERM, lambda *_: setattr(self, "stop", True))


def end_by_sigterm() -> None:
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    os.kill(os.getpid(), signal.SIGTERM)


def begin(options):
    """Where to start from: the checkpoint handed over, else step 0."""
    handed_over = os.environ.get("FAIRLEAD_CHECKPOINT")
    if not handed_over:
        weights = new_weights(options.seed)
        return 0, options.seed, weights, {name: np.zeros_like(value) for name, value in weights.items()}
    start = load_checkpoint(Path(handed_over))
    print(f"resumed from {Path(handed_over).name}", flush=True)
    return start


def train(options, images, digits, start, requests: Requests) -> None:
    first, seed, weights, velocity = start
    for step in range(first + 1, options.steps + 1):
        # The batch depends on seed and step alone, so a resumed run sees what an uninterrupted one would.
        batch = np.random.default_rng([seed, step]).choice(TRAINED_ON, BATCH, replace=False)
        loss = train_step(weights, velocity, images[batch], digits[batch])
        time.sleep(options.step_seconds)
        if step % options.every == 0 or requests.checkpoint or requests.stop:
            requests.checkpoint = False
            folder = save_checkpoint(options.checkpoints, step, seed, weights, velocity)
            print(f"step {step}/{options.steps} loss {loss:.4f} checkpoint {folder.name}", flush=True)
        if requests.stop:
            print("SIGTERM: checkpoint written, ending", flush=True)
            end_by_sigterm()
    metrics = measure(weights, images[TRAINED_ON:], digits[TRAINED_ON:])
    save_model(options.out, weights, metrics, options.steps, seed)
    print(f"done after {options.steps} steps: loss {metrics['loss']} accuracy {metrics['accuracy']} on {len(digits) - TRAINED_ON} images held out", flush=True)


def parse(arguments):
    parser = argparse.ArgumentParser(description="Train a digit classifier.")
    parser.add_argument("--steps", type=int, default=240)
    parser.add_argument("--step-seconds", type=float, default=0.05, help="rest after a step, so that a demonstration can be watched")
    parser.add_argument("--every", type=int, default=20, help="steps between checkpoints")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--checkpoints", type=Path, default=Path("ckpt"))
    parser.add_argument("--out", type=Path, default=Path("out"))
    parser.add_argument("--data", type=Path, default=Path(__file__).with_name("digits.txt"))
    options = parser.parse_args(arguments)
    if options.steps < 1 or options.every < 1 or options.step_seconds < 0 or options.seed < 0:
        parser.error("--steps and --every must be at least 1, --step-seconds and --seed at least 0")
    return options


def main(arguments=None) -> int:
    options = parse(arguments)
    requests = Requests()
    try:
        images, digits = read_digits(options.data)
        start = begin(options)
    except (OSError, ValueError, KeyError, zipfile.BadZipFile) as problem:
        print(f"train: {problem}", file=sys.stderr)
        return 65
    devices = os.environ.get("CUDA_VISIBLE_DEVICES", "none")
    print(f"training on {TRAINED_ON} images from step {start[0]}, attempt {os.environ.get('FAIRLEAD_ATTEMPT', '-')}, devices {devices}", flush=True)
    train(options, images, digits, start, requests)
    return 0


if __name__ == "__main__":
    sys.exit(main())
