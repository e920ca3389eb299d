"""A Dask cluster as what searches the cubes: an executor whose workers may be on many machines.

What travels is data: cubes, and the tables or the model as text. The workers have this project installed.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from concurrent.futures import Executor, Future
from typing import Any

from solvers.base.errors import InputError
from solvers.extras.shared.tuning import EXTRAS_TUNING
from solvers.show.versions import versions


class Cluster(Executor):
    """An executor that runs calls on the workers of a Dask scheduler.

    Dask's own configuration says how connections are secured; a scheduler's address that begins with tls:// uses that.
    """

    def __init__(self, address: str) -> None:
        """Connect to the scheduler at this address, such as "tcp://host:8786", and compare the versions of its workers.

        Raises `InputError` if there is no scheduler, if it has no workers, or if they have other versions of the
        packages.
        """
        try:
            from distributed.client import Client
        except ImportError:
            raise InputError("`--cluster` needs Dask; install it with pip install '.[cluster]'") from None
        for logger in "distributed", "distributed.client", "distributed.gc":  # those that Dask sets a level of
            logging.getLogger(logger).setLevel(logging.CRITICAL)  # what goes wrong there is told in our sentences
        try:
            client: Any = Client
            self._client = client(address, timeout=EXTRAS_TUNING.cluster_connect_seconds, set_as_default=False)
        except (OSError, ValueError, TypeError, RuntimeError) as error:
            raise InputError(f"no Dask scheduler answers at {address}: {_sentence(error)}") from None
        try:
            self._client.wait_for_workers(1, timeout=EXTRAS_TUNING.cluster_connect_seconds)
            versions_there = self._client.run(versions)
        except TimeoutError:
            self._client.close()
            raise InputError(
                f"the scheduler at {address} has no workers; start some with dask worker {address}"
            ) from None
        except Exception as error:  # of any kind: it was raised on another machine
            self._client.close()
            raise InputError(f"the workers of {address} cannot run this project: {_sentence(error)}") from None
        for worker, there in versions_there.items():
            for name, own_version in versions().items():
                if name != "python" and there[name] != own_version:
                    self._client.close()
                    raise InputError(
                        f"the worker {worker} has {name} {there[name]}, not {own_version}; install the same there"
                    )
        self.jobs: int = sum(self._client.nthreads().values())
        """The number of cubes that its workers search at once."""

    def submit(self, call: Callable[..., Any], /, *arguments: Any, **named: Any) -> Future[Any]:
        """Run a call on a worker; return a future for its result, as `concurrent.futures.Executor` does."""
        future: Future[Any] = Future()
        future.set_running_or_notify_cancel()  # from now on it cannot be cancelled

        def settle(remote: Any) -> None:
            """Give the future the result of the remote one, or its exception."""
            try:
                future.set_result(remote.result())
            except BaseException as error:  # of whatever kind: who waits has to hear of it
                future.set_exception(error)

        self._client.submit(call, *arguments, pure=False, **named).add_done_callback(settle)
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Disconnect from the cluster, which keeps running; the arguments are not used."""
        self._client.close()


def _sentence(error: BaseException) -> str:
    """Return the first line of an error's message, or the name of its class if the message is empty."""
    return str(error).splitlines()[0] if str(error) else type(error).__name__
