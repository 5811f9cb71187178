# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""The names of a run's requests."""

from __future__ import annotations

import pytest

from tests.faults.points import Course, is_mutating, is_turn, signature

CLAIMS = "/api/v1/namespaces/porter/persistentvolumeclaims"
JOBS = "/apis/batch/v1/namespaces/porter/jobs"


@pytest.mark.parametrize(
    "path, expected",
    [
        (CLAIMS + "?limit=500&labelSelector=a%2Fb", "GET-persistentvolumeclaims"),
        (CLAIMS + "/porter-1", "GET-persistentvolumeclaims/NAME"),
        (JOBS, "GET-jobs"),
        (JOBS + "/porter-1-install", "GET-jobs/NAME"),
        ("/api/v1/persistentvolumes/pv-1", "GET-persistentvolumes/NAME"),
        ("/api/v1/namespaces/porter/pods/a/log?container=b", "GET-pods/NAME/log"),
        ("/api/v1/namespaces", "GET-namespaces"),
        ("/api/v1/namespaces/porter", "GET-namespaces/NAME"),
    ],
)
def test_a_signature_has_no_names(path: str, expected: str) -> None:
    assert signature("GET", path) == expected


def test_asking_again_is_no_new_point() -> None:
    course = Course()
    assert course.request("a", "GET", JOBS) == "1.0-GET-jobs"
    assert course.request("a", "GET", CLAIMS) == "1.0-GET-persistentvolumeclaims"
    assert course.request("a", "GET", JOBS) is None
    assert course.points == ["1.0-GET-jobs", "1.0-GET-persistentvolumeclaims"]


def test_a_write_that_succeeds_begins_a_new_stretch() -> None:
    course = Course()
    course.request("a", "POST", JOBS)
    course.answered("POST", JOBS, 201)
    assert course.request("a", "GET", JOBS) == "1.1-GET-jobs"
    course.answered("GET", JOBS, 200)
    assert course.wrote
    assert course.request("a", "POST", JOBS) == "1.1-POST-jobs"


def test_a_conflict_changes_no_name() -> None:
    course = Course()
    assert course.request("a", "PATCH", JOBS + "/b") == "1.0-PATCH-jobs/NAME"
    course.answered("PATCH", JOBS + "/b", 409)
    assert course.request("a", "PATCH", JOBS + "/b") is None
    assert not course.wrote


def test_an_access_review_is_a_question_and_no_write() -> None:
    course = Course()
    reviews = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"
    point = course.request("a", "POST", reviews)
    assert point == "1.0-POST-selfsubjectaccessreviews"
    assert not is_mutating(point)
    course.answered("POST", reviews, 201)
    assert course.request("a", "POST", reviews) is None
    assert not course.wrote


def test_a_new_connection_is_a_new_task() -> None:
    course = Course()
    course.request("a", "POST", JOBS)
    course.answered("POST", JOBS, 201)
    assert course.request("b", "GET", JOBS) == "2.0-GET-jobs"


def test_which_points_write() -> None:
    assert is_mutating("1.0-PATCH-persistentvolumes/NAME")
    assert not is_mutating("2.3-GET-jobs")


def test_turns_are_counted_among_all_points_or_among_those_that_write() -> None:
    points = ["1.0-GET-jobs", "1.0-POST-secrets", "1.1-GET-jobs", "1.1-POST-jobs"]
    begun = [points[:count] for count in range(1, 5)]
    assert [is_turn(each, 3, only_writes=False) for each in begun] == [False, False, True, False]
    assert [is_turn(each, 1, only_writes=True) for each in begun] == [False, True, False, False]
    assert [is_turn(each, 2, only_writes=True) for each in begun] == [False, False, False, True]
